import { VIEWS } from '../../../kernel/app-api/app-route.ts'
import type { AppContext } from '../../../kernel/app-api/context.ts'
import { unixTimeOf } from '../../../kernel/app-api/objects/hydrate.ts'
import { usersOf } from '../../../kernel/app-api/pages.ts'
import { route } from '../../../kernel/http/route.ts'
import { toUtf8 } from '../../../kernel/protocol/codec/bytes.ts'
import { FNAME_PATTERN } from '../../../kernel/protocol/names.ts'
import { DAY_SECONDS } from '../../../kernel/protocol/time.ts'
import { nameTransferRows } from '../../registry/port.ts'
import { findByName, fnameParam } from '../user-routes.ts'
import { changesOf, expiryOf, fidsOfChanges, nameChange, storagePeriod } from './names.ts'
import { type NameScreen, NameScreenReply, NamesScreenReply, SCREENS } from './schemas.ts'

const MAX_NEWEST = 30
/** Users of a history that are hydrated. */
const MAX_USERS = 100

/** The screen of one name: its state, its holder and its history. */
export const nameScreen = route('GET /v2/farcaster/screen/name', {
  callers: 'app',
  summary: 'A name: whether it is free, who holds it, and its history',
  description: 'Of the registry, or an ENS name that an account has proven.',
  tags: SCREENS,
  query: { name: fnameParam },
  reply: NameScreenReply,
  cost: { cpu: 'medium', rows: 200 },
  errors: [],
  from: VIEWS,
  handler: async (context, { viewer, query: { name } }) => {
    const [holderFid, history] = await Promise.all([
      holderOf(context, name),
      changesOf(context, { username: name }),
    ])
    const held = holderFid === undefined ? [] : [holderFid]
    const fids = [...new Set([...held, ...fidsOfChanges(history)])].slice(0, MAX_USERS)
    const users = await usersOf(context, viewer, fids)
    const holder = users.find(({ fid }) => fid === holderFid)
    const period = holderFid === undefined ? undefined : await storagePeriod(context, holderFid)
    const movable = holderFid === undefined ? undefined : movableAt(context, history)
    return {
      name,
      state: stateOf(context, name, holderFid),
      ...(holder && { holder }),
      ...(movable && { movable_at: movable }),
      storage_expires_at: period ? expiryOf(period) : null,
      ...(period && { storage: period }),
      history,
      users,
    }
  },
})

/** The screen for looking up names. */
export const namesScreen = route('GET /v2/farcaster/screen/names', {
  callers: 'app',
  summary: 'The newest changes of names',
  description: 'Of the registry of this server.',
  tags: SCREENS,
  reply: NamesScreenReply,
  cost: { cpu: 'small', rows: 100 },
  errors: [],
  from: VIEWS,
  handler: async (context, { viewer }) => {
    const transfers = await context.storage.of(nameTransferRows).newest({}, MAX_NEWEST)
    const changes = transfers.map(nameChange)
    return { changes, users: await usersOf(context, viewer, fidsOfChanges(changes)) }
  },
})

function stateOf(
  { ports }: AppContext,
  name: string,
  holder: number | undefined,
): NameScreen['state'] {
  if (holder !== undefined) return 'taken'
  if (!FNAME_PATTERN.test(name)) return 'impossible'
  return ports.isReservedName(name) ? 'reserved' : 'free'
}

/** Who holds a name of the registry, else who proved an ENS name. */
async function holderOf(context: AppContext, name: string): Promise<number | undefined> {
  if (!FNAME_PATTERN.test(name)) return findByName(context, name)
  const proof = await context.storage.nameProofs.byName(toUtf8(name))
  return proof && proof.fid > 0 ? proof.fid : undefined
}

/** When the interval after the last change ends; undefined when it has ended. */
function movableAt(
  { settings, nowMs }: AppContext,
  [latest]: NameScreen['history'],
): string | undefined {
  if (!latest) return undefined
  const at = Date.parse(latest.timestamp) / 1_000 + settings.nameChangeDays * DAY_SECONDS
  return at * 1_000 > nowMs() ? unixTimeOf(at) : undefined
}
