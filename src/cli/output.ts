// Output of commands. Standard output is for results alone, so that it can be piped.

export const print = (text: string): void => {
  process.stdout.write(`${text}\n`)
}

export const printJson = (value: unknown): void => print(JSON.stringify(value))

export const printBytes = (bytes: Uint8Array): void => {
  process.stdout.write(bytes)
}

/** A message for people, on standard error; not part of the result. */
export const note = (text: string): void => {
  process.stderr.write(`${text}\n`)
}

/** Ends the command without an error when the reader of its pipe ends (`| head`). */
export function exitWhenNobodyReads(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0)
    throw error
  })
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters must not reach a terminal
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]+/g

/** Untrusted text for one line of a terminal: shortened, without control characters. */
export function oneLine(text: string, maxCharacters: number): string {
  const line = [...text.replace(CONTROL, ' ')]
  return line.length <= maxCharacters
    ? line.join('')
    : `${line.slice(0, maxCharacters - 1).join('')}…`
}

/** A time in Unix seconds for a line of output. */
export const timeText = (seconds: number): string =>
  new Date(seconds * 1000).toISOString().replace('.000', '')

let invocation = 'rookery'

/** Sets how a user types `rookery` here. */
export function setInvocation(words: string): void {
  invocation = words
}

/** A command as a user types it here, for hints. */
export const hint = (command: string): string => `${invocation} ${command}`

/** Where a command begins: in a line, after another command or a variable, and inside `$( )`. */
const COMMAND_START = /(^ *|[|&;] +|\$\(|\b[A-Z_]+=\S+ +)rookery (?=[a-z])/gm

/** A help text whose examples are commands as a user types them here. */
export const withHints = (text: string): string => text.replace(COMMAND_START, `$1${invocation} `)

/** One result: the JSON of `--json`, otherwise its sentence. */
export function printResult(
  { json }: { readonly json?: true },
  value: unknown,
  text: string,
): void {
  if (json) printJson(value)
  else print(text)
}
