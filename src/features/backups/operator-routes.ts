import Type from 'typebox'
import { type Route, route } from '../../kernel/http/route.ts'
import type { ModuleContext } from '../../kernel/module.ts'
import { Rejection } from '../../kernel/protocol/rejection.ts'
import { SECOND_MS } from '../../kernel/protocol/time.ts'
import type { Backups } from './backups.ts'

const TAGS = [{ name: 'Backups', description: 'Copies of the store that the server makes itself.' }]
/** As many as the settings let be kept. */
const MAX_LISTED = 1_000

const Backup = Type.Object({
  name: Type.String({ description: 'Name of its directory.' }),
  startedAt: Type.Integer({
    description: 'Unix seconds of its start. It contains what was acknowledged before.',
  }),
  seconds: Type.Number({ description: 'How long it took, with the check.' }),
  bytes: Type.Integer(),
  verified: Type.String({ description: 'What was found when the copy was opened.' }),
  found: Type.Optional(
    Type.Object(
      {
        messages: Type.Integer(),
        events: Type.Integer(),
        accounts: Type.Integer(),
        keep: Type.Array(Type.String(), {
          description: 'Settings whose secrets belong beside the backup.',
        }),
        faults: Type.Array(Type.String(), { description: 'What its keys do not open.' }),
      },
      { description: 'The same in parts. Backups of earlier versions have the text alone.' },
    ),
  ),
})

const BackupsReply = Type.Object({
  isConfigured: Type.Boolean({ description: 'Whether ROOKERY_BACKUP_DIR is set.' }),
  advice: Type.Optional(
    Type.String({ description: 'How to have backups, when the server makes none.' }),
  ),
  isRunning: Type.Boolean({ description: 'Whether this process makes one now.' }),
  settings: Type.Optional(
    Type.Object({
      directory: Type.String(),
      intervalHours: Type.Integer(),
      keep: Type.Integer(),
    }),
  ),
  lastFailure: Type.Optional(
    Type.String({ description: 'Of this process, unless a later backup succeeded.' }),
  ),
  backups: Type.Array(Backup, { maxItems: MAX_LISTED, description: 'Newest first.' }),
})

type Configured = {
  readonly backups: Backups
  readonly settings: { directory: string; intervalHours: number; keep: number }
  readonly onError: ModuleContext['onError']
}

/** `advice` says how to have backups. */
type NotConfigured = { readonly backups?: undefined; readonly advice: string }

/** Routes of the operator that show the backups and make one. */
export const backupRoutes = (configured: Configured | NotConfigured): Route[] => [
  route('GET /backups', {
    callers: 'operator',
    summary: 'The backups that the server keeps',
    description: 'Complete ones in ROOKERY_BACKUP_DIR, as they were read within the last minute.',
    tags: TAGS,
    reply: BackupsReply,
    errors: [],
    cost: 'lookup',
    handler: () => shown(configured),
  }),
  route('POST /backups', {
    callers: 'operator',
    summary: 'Make a backup now',
    description:
      'Answers when the backup has begun, or when one is being made already. Older ones than the settings keep are removed when it is complete.',
    tags: TAGS,
    reply: BackupsReply,
    errors: ['not_supported'],
    cost: 'write',
    handler: () => {
      if (!configured.backups) throw new Rejection('not_supported', configured.advice)
      const { backups, onError } = configured
      backups.make().catch((error) => onError(error, 'a backup that the operator asked for'))
      return shown(configured)
    },
  }),
]

function shown(configured: Configured | NotConfigured) {
  if (!configured.backups) {
    return { isConfigured: false, isRunning: false, advice: configured.advice, backups: [] }
  }
  const { backups, settings } = configured
  const lastFailure = backups.lastFailure()
  return {
    isConfigured: true,
    isRunning: backups.isRunning(),
    settings,
    ...(lastFailure !== undefined && { lastFailure }),
    backups: backups
      .kept()
      .slice(0, MAX_LISTED)
      .map(({ startedMs, ...backup }) => ({
        ...backup,
        startedAt: Math.floor(startedMs / SECOND_MS),
      })),
  }
}
