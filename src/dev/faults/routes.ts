import { json, route } from '../../kernel/http/route.ts'
import { DEV_TAGS, type DevContext } from '../context.ts'
import { type Fault, FaultList } from './fault.ts'
import { CHAIN } from './paths.ts'

const list = route('GET /dev/faults', {
  callers: 'anyone',
  summary: 'The faults that are in force',
  description: 'With `times`: how often each will still happen.',
  reply: FaultList,
  tags: DEV_TAGS,
  errors: [],
  cost: 'lookup',
  handler: ({ faults }: DevContext) => ({ faults: faults.list() }),
})

const replace = route('PUT /dev/faults', {
  callers: 'anyone',
  summary: 'Break requests on purpose',
  description:
    'These faults are in force from now on, and no others: an empty list ends all. The first one for the path of a ' +
    'request counts. One request asks for a fault by the header `X-Rookery-Fault: status=429; retryAfterSeconds=3`.',
  body: json(FaultList),
  reply: FaultList,
  tags: DEV_TAGS,
  errors: ['bad_request.invalid_param'],
  cost: 'write',
  handler: async (context: DevContext, { body }) => {
    const { paths } = context.faults
    for (const [i, { path }] of body.faults.entries()) paths.check(path, `faults.${i}.path`)
    await applyFaults(context, body.faults)
    return { faults: context.faults.list() }
  },
})

export async function applyFaults(
  { faults, origin, services }: Pick<DevContext, 'faults' | 'origin' | 'services'>,
  wanted: readonly Fault[],
): Promise<void> {
  const lag = lagOf(faults.list())
  faults.replace(wanted)
  if (lagOf(wanted) !== lag) await origin.lag(services, lagOf(wanted))
}

const lagOf = (faults: readonly Fault[]): number | undefined =>
  faults.find(({ path }) => path === CHAIN)?.delayMs

export const FAULT_ROUTES = [list, replace]
