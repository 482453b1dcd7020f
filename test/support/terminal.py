"""Runs a command on a pseudo-terminal of a given size and passes bytes on, both ways."""
import fcntl, os, pty, select, signal, struct, sys, termios

columns, rows, command = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]
pid, terminal = pty.fork()
if pid == 0:
    os.execvp(command[0], command)
fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
os.kill(pid, signal.SIGWINCH)
signal.signal(signal.SIGTERM, lambda *_: os.kill(pid, signal.SIGKILL))
sources = [terminal, 0]
while True:
    ready, _, _ = select.select(sources, [], [])
    try:
        if terminal in ready:
            data = os.read(terminal, 65536)
            if not data:
                break
            os.write(1, data)
        if 0 in ready:
            typed = os.read(0, 65536)
            if typed:
                os.write(terminal, typed)
            else:
                sources.remove(0)
    except OSError:
        break
_, status = os.waitpid(pid, 0)
sys.exit(os.waitstatus_to_exitcode(status) if not os.WIFSIGNALED(status) else 128 + os.WTERMSIG(status))
