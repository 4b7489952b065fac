import { CommanderError } from 'commander'
import { StoreUnavailable } from '../kernel/storage/engines/unavailable.ts'

export const EXIT_FAILED = 1
const EXIT_USAGE = 2

/** An error that the user can understand and fix. Only its message is shown. */
export class Failure extends Error {}

/** The message of a failed command, one sentence where possible, and its exit code. */
export function describeFailure(error: unknown): { text: string | undefined; exitCode: number } {
  // Help and version end a command too. commander has printed every other message already.
  if (error instanceof CommanderError) {
    return { text: undefined, exitCode: error.exitCode === 0 ? 0 : EXIT_USAGE }
  }
  return { text: `rookery: ${sentenceOf(error)}`, exitCode: EXIT_FAILED }
}

/** The message of an error; a sentence of our own for errors of the system and of PostgreSQL. */
function sentenceOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error instanceof StoreUnavailable && error.cause instanceof Error) {
    return sentenceOf(error.cause)
  }
  const { code } = error as NodeJS.ErrnoException
  return (
    systemSentence(error as NodeJS.ErrnoException) ?? databaseSentence(error, code) ?? error.message
  )
}

type SystemError = NodeJS.ErrnoException & { address?: string; port?: number }

function systemSentence({ code, syscall, address, port, path }: SystemError): string | undefined {
  if (syscall === 'listen') {
    const where = `${address}:${port}`
    if (code === 'EADDRINUSE') {
      return `${where} is in use by another program. Stop it, or set another port (see docs/configuration.md).`
    }
    if (code === 'EACCES') return `this user may not listen on ${where}.`
    if (code === 'EADDRNOTAVAIL') return `${address} is not an address of this machine.`
  }
  if (path === undefined) return undefined
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') return `${path} cannot be written.`
  if (code === 'ENOSPC') return `the disk of ${path} is full.`
  if (code === 'ENOTDIR' || code === 'EEXIST') return `${path} is not a directory.`
  return undefined
}

/** The message of the server, or that it is unreachable. Never the URL, which contains a password. */
function databaseSentence(error: Error, code: string | undefined): string | undefined {
  const { severity, address, port } = error as {
    severity?: string
    address?: string
    port?: number
  }
  if (severity !== undefined) return `PostgreSQL refused: ${error.message} (DATABASE_URL).`
  const unreachable = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'ETIMEDOUT']
  if (code === undefined || !unreachable.includes(code)) return undefined
  const where = address === undefined ? '' : ` at ${address}:${port}`
  return `PostgreSQL cannot be reached${where} (${code}). Is it running, and is DATABASE_URL right?`
}
