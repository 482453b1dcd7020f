import { type CompletionTable, completionTable } from './table.ts';

/**
 * Scripts with the commands and flags built in. Names and IDs come from `drydock __complete`, which queries the
 * service.
 */
const scripts: Record<string, (table: CompletionTable) => string> = { bash, zsh, fish };

export function completionScript(shell: string): string {
  return scripts[shell]?.(completionTable) ?? '';
}

function branches(
  entries: Record<string, string[]>,
  branch: (name: string, words: string) => string,
): string {
  return Object.entries(entries)
    .filter(([, words]) => words.length > 0)
    .map(([name, words]) => branch(name, words.join(' ')))
    .join('\n');
}

function bash({ verbs, flags }: CompletionTable): string {
  return `# drydock completion for bash. Enable it with: source <(drydock completion bash)
_drydock() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" words=
  if ((COMP_CWORD == 1)); then
    words='${Object.keys(verbs).join(' ')}'
  elif ((COMP_CWORD == 2)); then
    case "\${COMP_WORDS[1]}" in
${branches(verbs, (name, words) => `      ${name}) words='${words}' ;;`)}
    esac
  fi
  if [[ -z $words && $cur == -* ]]; then
    case "\${COMP_WORDS[1]} \${COMP_WORDS[2]}" in
${branches(flags, (name, words) => `      '${name}'${name.includes(' ') ? '' : '\\ *'}) words='${words}' ;;`)}
    esac
  fi
  if [[ -n $words ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
    return
  fi
  local found line
  mapfile -t found < <(drydock __complete "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  COMPREPLY=()
  for line in "\${found[@]}"; do
    if [[ $line == "$cur"* || $(printf '%q' "$line") == "$cur"* ]]; then COMPREPLY+=("$(printf '%q' "$line")"); fi
  done
}
complete -o default -F _drydock drydock
`;
}

function zsh({ verbs, flags }: CompletionTable): string {
  return `#compdef drydock
# drydock completion for zsh. Enable it with: source <(drydock completion zsh)
_drydock() {
  local -a found
  if ((CURRENT == 2)); then
    found=(${Object.keys(verbs).join(' ')})
  elif ((CURRENT == 3)); then
    case "$words[2]" in
${branches(verbs, (name, words) => `      ${name}) found=(${words}) ;;`)}
    esac
  fi
  if ((! $#found)) && [[ $PREFIX == -* ]]; then
    case "$words[2] $words[3]" in
${branches(flags, (name, words) => `      '${name}'${name.includes(' ') ? '' : '\\ *'}) found=(${words}) ;;`)}
    esac
  fi
  if ((! $#found)); then
    found=("\${(@f)$(drydock __complete "\${(@Q)words[2,CURRENT]}" 2>/dev/null)}")
    found=(\${found:#})
  fi
  if (($#found)); then compadd -a found; else _files; fi
}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then _drydock "$@"; else compdef _drydock drydock; fi
`;
}

function fish({ verbs, flags }: CompletionTable): string {
  return `# drydock completion for fish. Enable it with: drydock completion fish | source
function __drydock_complete
  set -l said (commandline -opc)
  set -l cur (commandline -ct)
  set -e said[1]
  switch (count $said)
    case 0
      printf '%s\\n' ${Object.keys(verbs).join(' ')}
      return
    case 1
      switch $said[1]
${branches(verbs, (name, words) => `        case ${name}\n          printf '%s\\n' ${words}\n          return`)}
      end
  end
  if string match -q -- '-*' $cur
    for command in "$said[1]" "$said[1] $said[2]"
      switch $command
${branches(flags, (name, words) => `        case '${name}'\n          printf '%s\\n' ${words}`)}
      end
    end
    return
  end
  drydock __complete $said $cur 2>/dev/null
end
complete -c drydock -f -a '(__drydock_complete)'
`;
}
