# Sourced: runs commands one after the other and adds up the counts that each prints last.
passed=0
failed=0
failures=()

# Runs a command and adds its closing line to the sum; a command that fails without counting a failure counts as one.
lane() {
  local output status counts
  echo "== $*"
  output=$(mktemp)
  "$@" 2>&1 | tee "$output"
  status=${PIPESTATUS[0]}
  counts=$(grep -aoE '^[0-9]+ passed, [0-9]+ failed$' "$output" | tail -n 1)
  mapfile -t -O "${#failures[@]}" failures < <(grep -a '^failed: ' "$output" | sort -u)
  rm -f "$output"
  [[ $counts =~ ^([0-9]+)\ passed,\ ([0-9]+) ]] || BASH_REMATCH=(none 0 0)
  passed=$((passed + BASH_REMATCH[1]))
  failed=$((failed + BASH_REMATCH[2]))
  if [ "$status" != 0 ] && [ "${BASH_REMATCH[2]}" = 0 ]; then failed=$((failed + 1)); fi
}

# Prints what failed, and the sum as the last line; fails if a test failed.
sum() {
  if [ "${#failures[@]}" != 0 ]; then printf '%s\n' "${failures[@]}"; fi
  echo "$passed passed, $failed failed"
  [ "$failed" = 0 ]
}
