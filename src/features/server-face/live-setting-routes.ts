import Type from 'typebox'
import { described, patternParam } from '../../kernel/http/input/params.ts'
import { bind, json, type Route, route } from '../../kernel/http/route.ts'
import { Rejection } from '../../kernel/protocol/rejection.ts'
import type { LiveSettings } from '../../kernel/storage/live-settings.ts'
import type { Reader, Storage } from '../../kernel/storage/storage.ts'
import { moderationLogRows } from '../moderation-records/port.ts'
import { serverTextRows } from './tables/server-texts.ts'

// Settings that are changed in the room of the operator. What is written stands beside the texts of the server, and the log of
// moderation says who wrote what.

type Context = {
  readonly storage: Storage
  readonly live: LiveSettings
  /** Unix seconds. */
  readonly now: () => number
}

const TAGS = [{ name: 'Server', description: 'The program, its settings and its jobs.' }]
const MAX_VALUE_CHARACTERS = 100
const MAX_REASON_CHARACTERS = 2_000
const MAX_ACTOR_CHARACTERS = 100
const VARIABLE = /^ROOKERY_[A-Z0-9_]{1,60}$/

const LiveSetting = Type.Object(
  {
    variable: Type.String(),
    title: Type.String({ description: 'What it decides.' }),
    what: Type.String(),
    help: Type.String(),
    value: Type.String({ description: 'What counts now; empty: nothing is set.' }),
    given: Type.String({ description: 'What counts when nothing is written.' }),
    source: Type.Enum(['room', 'environment', 'default', 'unset']),
    isLocked: Type.Boolean({ description: 'The environment alone decides.' }),
    needsToken: Type.Boolean({
      description: 'Only who has the token of the operator changes it, and no account with a role.',
    }),
    choices: Type.Optional(
      Type.Array(Type.Object({ value: Type.String(), words: Type.String() }), {
        description: 'Absent: it is a number.',
      }),
    ),
    unit: Type.Optional(Type.String()),
    off: Type.Optional(Type.String({ description: 'The value that turns it off.' })),
    proposed: Type.Optional(Type.String({ description: 'What is proposed to who turns it on.' })),
    written: Type.Optional(
      Type.String({
        description:
          'What was written and does not count: the environment locks the setting, or refuses this value. It would count again afterwards; `reset` forgets it.',
      }),
    ),
    changedAt: Type.Optional(Type.Integer({ description: 'Unix seconds.' })),
    changedBy: Type.Optional(Type.String()),
  },
  { $id: 'LiveSetting' },
)

const variableParam = described(patternParam(VARIABLE), 'The variable of the setting.')

async function settingsNow({ live }: Pick<Context, 'live'>, { of }: Pick<Reader, 'of'>) {
  const written = new Map((await of(serverTextRows).list()).map((row) => [row.name, row]))
  return live.list().map(({ choices, needsToken = false, given, source, notAbove: _, ...one }) => {
    const found = written.get(one.variable)
    const row = found && live.counts(one.variable, found.value) ? found : undefined
    return {
      ...one,
      ...{ needsToken, given, value: row?.value ?? given },
      source: row ? ('room' as const) : source,
      ...(choices && {
        choices: Object.entries(choices).map(([value, words]) => ({ value, words })),
      }),
      ...(found && !row && { written: found.value }),
      ...(found && { changedAt: found.changed_at, changedBy: found.changed_by }),
    }
  })
}

type Change = {
  readonly variable: string
  /** Undefined: as the environment says. */
  readonly value?: string | undefined
  readonly actor?: string | undefined
  readonly reason?: string | undefined
  /** The account with a role that asks for it; undefined for who has the token. */
  readonly member?: unknown
}

/** A file cannot be larger than all files together. */
function checkNotAbove(
  { variable, notAbove }: { readonly variable: string; readonly notAbove?: string | undefined },
  value: string,
  all: Awaited<ReturnType<typeof settingsNow>>,
): void {
  const most = all.find((one) => one.variable === notAbove)
  if (!most || most.value === most.off || Number(value) <= Number(most.value)) return
  const text = `${variable} must be at most ${most.value}, as “${most.title}” says`
  throw new Rejection('bad_request.validation_failure', text, { field: 'value' })
}

/** Changes a setting, in every process at once. */
async function change(
  context: Context,
  { variable, value, actor = 'operator', reason, member }: Change,
) {
  const { storage, live, now } = context
  live.check(variable, value)
  const setting = live.list().find((one) => one.variable === variable)!
  if (setting.needsToken && member !== undefined) {
    const text = `${variable} is changed with the token of the operator alone`
    throw new Rejection('unauthorized', text, { field: 'variable' })
  }
  const at = now()
  await storage.write('hub', async (tx) => {
    const rows = tx.of(serverTextRows)
    const all = await settingsNow(context, tx)
    if (value !== undefined) checkNotAbove(setting, value, all)
    const before = all.find((one) => one.variable === variable)!
    if (value === undefined) await rows.remove([variable])
    else {
      const row = { name: variable, value, changed_at: at, changed_by: actor, original: null }
      await rows.put([row])
    }
    const from = `from "${before.written ?? before.value}"`
    const what =
      value === undefined
        ? `${from} back to "${before.given}" of the environment`
        : `${from} to "${value}"`
    const entry = { at, actor, fid: null, cast_hash: null, name: variable }
    const why = reason === undefined ? what : `${what}: ${reason}`
    await tx.of(moderationLogRows).add({ ...entry, action: 'set', reason: why })
  })
  return (await settingsNow(context, storage)).find((one) => one.variable === variable)!
}

const list = route('GET /server/settings', {
  callers: 'operator',
  summary: 'The settings that may be changed while the server runs',
  description:
    'The environment gives their defaults. It locks one with `,locked` behind its value, such as `ROOKERY_SIGNUP=invite,locked`.',
  tags: TAGS,
  reply: Type.Object({ settings: Type.Array(LiveSetting) }),
  errors: [],
  cost: 'lookup',
  handler: async (context: Context) => ({ settings: await settingsNow(context, context.storage) }),
})

const BY = {
  reason: Type.Optional(Type.String({ minLength: 1, maxLength: MAX_REASON_CHARACTERS })),
  actor: Type.Optional(Type.String({ minLength: 1, maxLength: MAX_ACTOR_CHARACTERS })),
}

const set = route('PUT /server/settings/:variable', {
  callers: 'operator',
  summary: 'Change a setting while the server runs',
  description: 'In force at once in every process. It is in the log of moderation.',
  tags: TAGS,
  params: { variable: variableParam },
  body: json(Type.Object({ value: Type.String({ maxLength: MAX_VALUE_CHARACTERS }), ...BY })),
  reply: LiveSetting,
  errors: ['bad_request.validation_failure', 'bad_request.conflict', 'unauthorized'],
  cost: 'write',
  handler: (context: Context, { params: { variable }, body }) =>
    change(context, { ...body, variable }),
})

const reset = route('POST /server/settings/:variable/reset', {
  callers: 'operator',
  summary: 'Let the environment decide a setting again',
  description: 'What was written is forgotten, in every process at once.',
  tags: TAGS,
  params: { variable: variableParam },
  body: json(Type.Object(BY)),
  reply: LiveSetting,
  errors: ['bad_request.validation_failure', 'bad_request.conflict', 'unauthorized'],
  cost: 'write',
  handler: (context: Context, { params: { variable }, body }) =>
    change(context, { ...(body as Change), variable, value: undefined }),
})

export const liveSettingRoutes = (context: Context): Route[] => bind(context, [list, set, reset])
