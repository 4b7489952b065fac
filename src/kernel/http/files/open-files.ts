import { readFileSync } from 'node:fs'

/** How many files and connections the system lets this process have open. Undefined where it is not known or unlimited. */
export function openFilesLimit(): number | undefined {
  try {
    const limits = readFileSync('/proc/self/limits', 'utf8')
    const soft = /^Max open files\s+(\d+)/m.exec(limits)?.[1]
    return soft === undefined ? undefined : Number(soft)
  } catch {
    return undefined // Not Linux.
  }
}

/** How the system and SQLite say that no more files can be opened. SQLite says the same of a file that is not there. */
const TOO_MANY = /\b(?:EMFILE|ENFILE)\b|unable to open database file/

/** What the operator can do about an error, when its reason may be that too many files are open. */
export function openFilesHint(error: unknown): string | undefined {
  if (!(error instanceof Error) || !TOO_MANY.test(`${error.message} ${codeOf(error)}`)) {
    return undefined
  }
  const limit = openFilesLimit()
  const now = limit === undefined ? '' : `, now ${limit}`
  return `the limit of open files and connections may be reached${now}: raise it (LimitNOFILE= in systemd, ulimits in compose, ulimit -n in a shell)`
}

const codeOf = (error: Error): unknown => (error as NodeJS.ErrnoException).code
