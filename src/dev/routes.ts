import Type from 'typebox'
import { BADGES } from '../features/badges/port.ts'
import { unixSeconds } from '../kernel/base/clock.ts'
import { Mutex } from '../kernel/base/concurrency.ts'
import { bind, json, type Route, route } from '../kernel/http/route.ts'
import { toHex } from '../kernel/protocol/codec/bytes.ts'
import { DAY_SECONDS } from '../kernel/protocol/time.ts'
import { nameOf } from './accounts.ts'
import type { DevClock } from './clock.ts'
import { DEV_TAGS, type DevContext } from './context.ts'
import { SEED_KINDS } from './crowd.ts'
import { applyFaults, FAULT_ROUTES } from './faults/routes.ts'
import { RECORDING_ROUTES } from './recording/routes.ts'
import { addAccounts, addCrowd, addressOf, listAccounts, seedWorld } from './seed.ts'
import { SNAPSHOT_ROUTES } from './snapshot-routes.ts'
import type { Author } from './world.ts'

/** Two years in one call: longer than any period in the rules of the network. */
const MAX_ADVANCE_SECONDS = 2 * 366 * DAY_SECONDS

const Hex = (bytes: number, description: string) =>
  Type.String({ pattern: `^0x[0-9a-f]{${2 * bytes}}$`, description })

const Accounts = Type.Object({
  forkedFrom: Type.Optional(
    Type.String({ description: 'The hub whose accounts this network has, too.' }),
  ),
  accounts: Type.Array(
    Type.Object({
      fid: Type.Integer(),
      name: Type.String(),
      custodyAddress: Hex(20, 'Owns the fid.'),
      custodyPrivateKey: Hex(32, 'Its secp256k1 key.'),
      appPublicKey: Hex(32, 'Signs messages.'),
      appPrivateKey: Hex(32, 'Its Ed25519 seed.'),
    }),
  ),
})

const Time = Type.Object({
  unixSeconds: Type.Integer({ description: 'The time of this network.' }),
  aheadSeconds: Type.Integer({ description: "How far it is ahead of the machine's." }),
})

const time = (clock: DevClock) => ({
  unixSeconds: unixSeconds(clock),
  aheadSeconds: clock.aheadSeconds,
})

const accountsJson = (authors: readonly Author[]) => ({
  accounts: authors.map(({ fid, account }) => ({
    fid,
    name: nameOf({ fid, account }),
    custodyAddress: toHex(addressOf(account)),
    custodyPrivateKey: toHex(account.custodyPrivateKey),
    appPublicKey: toHex(account.appKey),
    appPrivateKey: toHex(account.appSeed),
  })),
})

const accounts = route('GET /dev/accounts', {
  callers: 'anyone',
  summary: 'The accounts of this network, with their keys',
  description: 'Everybody may know these keys: they are for development only.',
  reply: Accounts,
  tags: DEV_TAGS,
  errors: [],
  cost: 'lookup',
  handler: async ({ services, origin }: DevContext) => ({
    ...(origin.forkedFrom !== undefined && { forkedFrom: origin.forkedFrom }),
    ...accountsJson(await listAccounts(services, origin)),
  }),
})

const createAccount = route('POST /dev/accounts', {
  callers: 'anyone',
  summary: 'Create an account',
  description: 'With a name and a key, ready to post.',
  reply: Accounts,
  tags: DEV_TAGS,
  errors: [],
  cost: 'write',
  handler: ({ services, origin, changes }: DevContext) =>
    changes.run(async () => accountsJson(await addAccounts(services, origin, 1))),
})

const clock = route('GET /dev/clock', {
  callers: 'anyone',
  summary: 'The time of this network',
  description: 'It may be ahead of the clock of the machine.',
  reply: Time,
  tags: DEV_TAGS,
  errors: [],
  cost: 'lookup',
  handler: ({ clock }: DevContext) => time(clock),
})

const moveClock = route('POST /dev/clock', {
  callers: 'anyone',
  summary: 'Move the clock forward',
  description: 'Everything that becomes due happens before the answer.',
  body: json(
    Type.Object(
      { advanceSeconds: Type.Integer({ minimum: 1, maximum: MAX_ADVANCE_SECONDS }) },
      { additionalProperties: false },
    ),
  ),
  reply: Time,
  errors: ['bad_request.invalid_param'],
  tags: DEV_TAGS,
  cost: 'write',
  handler: ({ services, origin, clock, changes }: DevContext, { body }) =>
    changes.run(async () => {
      await clock.advance(services.storage, body.advanceSeconds)
      await origin.moveTo(services, clock.now())
      await services.jobs.runAll()
      return time(clock)
    }),
})

const reset = route('POST /dev/reset', {
  callers: 'anyone',
  summary: 'Reset the network',
  description:
    'Deletes everything and begins again with the first accounts, at the real time. If the clock was moved ' +
    'forward, the event log is a new one whose ids begin at the real time: streams of events end, and ' +
    'followers begin at `from_event_id=0`.',
  reply: Accounts,
  tags: DEV_TAGS,
  errors: [],
  cost: 'write',
  handler: ({ services, origin, clock, showcase, changes, faults, recorder }: DevContext) =>
    changes.run(async () => {
      const { storage } = services
      await applyFaults({ services, origin, faults }, [])
      recorder.clear()
      await origin.reset()
      await storage.reset(clock.realNow())
      await clock.load(storage)
      await origin.begin(services, clock.now())
      await seedWorld(services, origin)
      await showcase()
      // The job may have computed them while the network was empty.
      await services.of(BADGES).runAgain()
      return accountsJson(await listAccounts(services, origin))
    }),
})

const seed = route('POST /dev/seed', {
  callers: 'anyone',
  summary: 'Add people and what they wrote',
  description:
    'small: a few people and casts. busy: a hundred people and ten thousand messages. adversarial: texts and threads that are ' +
    'allowed, and that apps often show wrongly.',
  body: json(
    Type.Object(
      { kind: Type.Enum([...SEED_KINDS], { description: 'What is added.' }) },
      { additionalProperties: false },
    ),
  ),
  reply: Type.Object({ people: Type.Integer(), messages: Type.Integer() }),
  errors: ['bad_request.invalid_param'],
  tags: DEV_TAGS,
  cost: 'write',
  handler: ({ services, origin, changes }: DevContext, { body: { kind } }) =>
    changes.run(() => addCrowd(services, origin, kind)),
})

/** Operations routes of development networks only. */
export function devRoutes(parts: Omit<DevContext, 'changes'>): Route[] {
  const context = { ...parts, changes: new Mutex() }
  return bind(context, [
    ...[accounts, createAccount, clock, moveClock, reset, seed],
    ...SNAPSHOT_ROUTES,
    ...FAULT_ROUTES,
    ...RECORDING_ROUTES,
  ])
}
