// What commands print. Standard output is for results alone, so that it can be piped.

export const print = (text: string): void => {
  process.stdout.write(`${text}\n`)
}

export const printJson = (value: unknown): void => print(JSON.stringify(value))

export const printBytes = (bytes: Uint8Array): void => {
  process.stdout.write(bytes)
}

/** For people who watch; not part of the result. */
export const note = (text: string): void => {
  process.stderr.write(`${text}\n`)
}

/** A reader that has seen enough (`| head`) ends the command without a complaint. */
export function exitWhenNobodyReads(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0)
    throw error
  })
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: those are what must not reach a terminal
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]+/g

/** Text of others on one line of a terminal: shortened, without characters that move the cursor. */
export function oneLine(text: string, maxCharacters: number): string {
  const line = [...text.replace(CONTROL, ' ')]
  return line.length <= maxCharacters
    ? line.join('')
    : `${line.slice(0, maxCharacters - 1).join('')}…`
}
