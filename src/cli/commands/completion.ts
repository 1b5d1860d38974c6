import { type Command, command, WrongUsage } from '../command.ts'
import { print } from '../output.ts'

const shells = ['bash', 'zsh', 'fish'] as const

/** `posthorn completion`: a script that completes the commands and their flags in a shell. */
export function completionCommand(commands: readonly Command[]): Command {
  return command({
    name: 'completion',
    summary:
      'Print a script that completes commands in bash, zsh or fish: source <(posthorn completion bash).',
    operands: ['SHELL'],
    async run({ operands: [shell = ''] }) {
      if (shell === 'bash') print(forBash(commands))
      else if (shell === 'zsh') print(`autoload -U +X bashcompinit && bashcompinit\n${forBash(commands)}`)
      else if (shell === 'fish') print(forFish(commands))
      else throw new WrongUsage(`there are scripts for ${shells.join(', ')}`)
    },
  })
}

const flagsOf = ({ options }: Command) => [...Object.keys(options), 'help'].map((flag) => `--${flag}`)

/** The words that may follow: after no word, after the first word of a command with two, and after a command. */
function nextWords(commands: readonly Command[]): Map<string, string[]> {
  const next = new Map<string, string[]>([['', []]])
  const add = (after: string, word: string) => {
    const words = next.get(after) ?? []
    if (!words.includes(word)) next.set(after, [...words, word])
  }
  for (const each of commands) {
    const [first = '', second] = each.name.split(' ')
    add('', first)
    if (second !== undefined) add(first, second)
    for (const flag of flagsOf(each)) add(each.name, flag)
  }
  return next
}

function forBash(commands: readonly Command[]): string {
  // A command with two words comes before what begins with its first.
  const longestFirst = [...nextWords(commands)].toSorted(([a], [b]) => b.length - a.length)
  const cases = longestFirst.map(([after, words]) =>
    after === '' ? `    *) words="${words.join(' ')}" ;;` : `    "${after} "*) words="${words.join(' ')}" ;;`,
  )
  return [
    '_posthorn() {',
    `  local words line="\${COMP_WORDS[*]:1:$((COMP_CWORD-1))} "`,
    '  case "$line" in',
    ...cases,
    '  esac',
    `  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))`,
    '  # Files, where a flag or an operand may be one.',
    `  [ \${#COMPREPLY[@]} -gt 0 ] || COMPREPLY=($(compgen -f -- "\${COMP_WORDS[COMP_CWORD]}"))`,
    '}',
    'complete -F _posthorn posthorn',
  ].join('\n')
}

function forFish(commands: readonly Command[]): string {
  // Quoted, because before the first word it is empty, which would be no argument at all.
  const given = '"$(__posthorn_given)"'
  const words = [...nextWords(commands)]
    .filter(([after]) => !commands.some(({ name }) => name === after))
    .map(([after, next]) => `complete -c posthorn -f -n 'test ${given} = "${after}"' -a '${next.join(' ')}'`)
  const flags = commands.flatMap(({ name, options }) =>
    Object.entries(options).map(
      ([flag, { description, type }]) =>
        `complete -c posthorn -n 'string match -q -- "${name}*" ${given}' -l ${flag}${type === 'string' ? ' -r' : ''} -d '${description.replaceAll("'", "\\'")}'`,
    ),
  )
  return [`function __posthorn_given; string join ' ' (commandline -opc)[2..]; end`, ...words, ...flags].join(
    '\n',
  )
}
