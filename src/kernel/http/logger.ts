import { type DestinationStream, type Logger, pino } from 'pino'
import { openFilesHint } from './files/open-files.ts'

export type { Logger }

/** Keys whose values are redacted in the first levels of a log entry. */
const SECRET_KEYS = [
  'authorization',
  'cookie',
  'password',
  'token',
  'secret',
  'mnemonic',
  'privateKey',
  'custodyPrivateKey',
  'appPrivateKey',
]

const paths = SECRET_KEYS.flatMap((key) => [key, `*.${key}`, `*.*.${key}`])

/** The log: one line of JSON for each entry, with secrets redacted. */
export const createLogger = (options: { level: string; destination?: DestinationStream }): Logger =>
  pino(
    {
      level: options.level,
      redact: { paths, censor: '[redacted]' },
      formatters: { log: withHint },
    },
    ...(options.destination === undefined ? [] : [options.destination]),
  )

/** An entry about an error that the operator can remove says how. */
function withHint(entry: Record<string, unknown>): Record<string, unknown> {
  const hint = openFilesHint(entry.err)
  return hint === undefined ? entry : { ...entry, hint }
}
