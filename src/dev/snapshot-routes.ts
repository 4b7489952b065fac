import Type from 'typebox'
import { json, route } from '../kernel/http/route.ts'
import { Rejection } from '../kernel/protocol/rejection.ts'
import { SNAPSHOT_NAME } from '../kernel/storage/snapshots.ts'
import { DEV_TAGS, type DevContext } from './context.ts'
import { applyFaults } from './faults/routes.ts'

/** Views that have not read all events by then are kept as they are. */
const WAIT_VIEWS_MS = 60_000

const Name = Type.String({
  pattern: SNAPSHOT_NAME,
  description: 'Up to 40 characters of a-z, 0-9 and -.',
})
const Named = Type.Object({ name: Name }, { additionalProperties: false })

const Snapshot = Type.Object({
  name: Name,
  directory: Type.Optional(
    Type.String({ description: 'Its files, with which another network can begin; SQLite only.' }),
  ),
})

function snapshotsOf({ services, origin }: DevContext) {
  if (!origin.isStored) {
    const message = 'a network with a chain has no snapshots: start it without --chain'
    throw new Rejection('bad_request.invalid_param', message)
  }
  return services.storage.snapshots!
}

function shown(context: DevContext, name: string) {
  const directory = snapshotsOf(context).directoryOf(name)
  return { name, ...(directory !== undefined && { directory }) }
}

const list = route('GET /dev/snapshots', {
  callers: 'anyone',
  summary: 'The snapshots of this network',
  description: 'In the order of their names.',
  reply: Type.Object({ snapshots: Type.Array(Snapshot) }),
  tags: DEV_TAGS,
  errors: ['bad_request.invalid_param'],
  cost: 'lookup',
  handler: async (context: DevContext) => {
    const names = await snapshotsOf(context).list()
    return { snapshots: names.map((name) => shown(context, name)) }
  },
})

const save = route('POST /dev/snapshots', {
  callers: 'anyone',
  summary: 'Keep the network as it is',
  description:
    'Under a name, in place of an earlier snapshot of this name. Uploaded files are not part of it.',
  body: json(Named),
  reply: Snapshot,
  tags: DEV_TAGS,
  errors: ['bad_request.invalid_param'],
  cost: 'write',
  handler: (context: DevContext, { body: { name } }) =>
    context.changes.run(async () => {
      const { views, storage } = context.services
      const snapshots = snapshotsOf(context)
      // Otherwise they would follow the log of a large network again after each revert.
      await views?.passed((await storage.events.logState(0)).newestId, WAIT_VIEWS_MS)
      await snapshots.save(name)
      return shown(context, name)
    }),
})

const remove = route('DELETE /dev/snapshots', {
  callers: 'anyone',
  summary: 'Delete a snapshot',
  description: 'The network stays as it is.',
  body: json(Named),
  reply: Type.Object({ name: Name }),
  tags: DEV_TAGS,
  errors: ['bad_request.invalid_param', 'not_found'],
  cost: 'write',
  handler: (context: DevContext, { body: { name } }) =>
    context.changes.run(async () => {
      await snapshotsOf(context).remove(name)
      return { name }
    }),
})

const revert = route('POST /dev/revert', {
  callers: 'anyone',
  summary: 'Put the network back to a snapshot',
  description:
    'Everything stored is as it was, the clock too. Ids of events go on growing unless the clock goes back by more than a ' +
    'minute. Streams of events and faults end.',
  body: json(Named),
  reply: Snapshot,
  tags: DEV_TAGS,
  errors: ['bad_request.invalid_param', 'not_found'],
  cost: 'write',
  handler: (context: DevContext, { body: { name } }) =>
    context.changes.run(async () => {
      const { services, clock, recorder } = context
      const snapshot = shown(context, name)
      await applyFaults(context, [])
      await services.storage.revert(name, (cursors) => clock.timeOf(cursors))
      recorder.reverted()
      await clock.load(services.storage)
      return snapshot
    }),
})

export const SNAPSHOT_ROUTES = [list, save, remove, revert] as const
