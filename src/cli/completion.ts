import type { Command } from 'commander'

export type Shell = 'bash' | 'zsh' | 'fish'

/** Words that may follow the words of a command: its subcommands, what its arguments may be, and long options. */
type Words = {
  readonly path: string
  readonly next: readonly string[]
  readonly commands: readonly string[]
}

/** A script that completes the commands and options of the program in a shell. */
export function completionOf(program: Command, shell: Shell): string {
  const all = wordsOf(program, '')
  if (shell === 'fish') return fishScript(all)
  const script = bashScript(all)
  return shell === 'zsh' ? `autoload -U +X bashcompinit && bashcompinit\n${script}` : script
}

function wordsOf(command: Command, path: string): Words[] {
  const options = command.options.flatMap(({ long, hidden }) => (long && !hidden ? [long] : []))
  const choices = command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? [])
  const commands = command.commands.map((one) => one.name())
  const next = [...commands, ...choices, ...options, '--help']
  const below = command.commands.flatMap((one) => wordsOf(one, `${path} ${one.name()}`.trim()))
  return [{ path, next, commands }, ...below]
}

/** zsh runs it too: there a variable named path would be the search path of programs. */
function bashScript(all: readonly Words[]): string {
  const cases = all.map(({ path, next }) => `    '${path}') words='${next.join(' ')}' ;;`)
  return `_rookery() {
  local seen='' word words=''
  for word in "\${COMP_WORDS[@]:1:$((COMP_CWORD - 1))}"; do
    case "$word" in -*) break ;; esac
    case " ${all.map(({ path }) => path.replaceAll(' ', '/')).join(' ')} " in
      *" \${seen:+\${seen// //}/}$word "*) seen="\${seen:+$seen }$word" ;;
      *) break ;;
    esac
  done
  case "$seen" in
${cases.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _rookery rookery
`
}

function fishScript(all: readonly Words[]): string {
  const lines = all.flatMap(({ path, next, commands }) => {
    const when = fishCondition(path, commands)
    return next.map((word) =>
      word.startsWith('--')
        ? `complete -c rookery -n '${when}' -l ${word.slice(2)}`
        : `complete -c rookery -f -n '${when}' -a ${word}`,
    )
  })
  return `${lines.join('\n')}\n`
}

/** True after the words of a command and before those of its subcommands, which may have the same names. */
function fishCondition(path: string, below: readonly string[]): string {
  if (path === '') return '__fish_use_subcommand'
  const seen = path.split(' ').map((word) => `__fish_seen_subcommand_from ${word}`)
  const isOver = below.length > 0 ? [`not __fish_seen_subcommand_from ${below.join(' ')}`] : []
  return [...seen, ...isOver].join('; and ')
}
