import type { Command } from 'commander'
import type { AnswerOf } from '../../../client/client.ts'
import type { OperationsOperations } from '../../../client/generated/operations.ts'
import type { ClientConfig } from '../../../config.ts'
import type { Environment } from '../../../kernel/base/setting.ts'
import { group } from '../../call-command.ts'
import { oneLine } from '../../output.ts'
import { operatorCall } from '../operator.ts'
import { addStart } from './start.ts'
import { addVerify } from './verify.ts'

const DETAIL_CHARACTERS = 300

type Status = AnswerOf<OperationsOperations['get'], '/mirror'>
type Rules = AnswerOf<OperationsOperations['get'], '/mirror/rules'>

/** The source is asked after the rule was added. */
const LATER = 'the source is being asked: rookery mirror rules'

const rulesOf = ({ rules }: Rules): string =>
  rules.length === 0
    ? 'Nobody is mirrored.'
    : rules
        .map(
          ({ rule, people, resolvedAt, error }) =>
            `${rule}: ${error ?? (resolvedAt === null ? LATER : `${people} people`)}`,
        )
        .join('\n')

const status = operatorCall('status', 'GET /mirror', { line: statusLines })
const rules = operatorCall('rules', 'GET /mirror/rules', { line: rulesOf })
const add = operatorCall('add', 'POST /mirror/rules', {
  args: ['rule'],
  example: 'fid:2,3',
  line: rulesOf,
})
const remove = operatorCall('remove', 'POST /mirror/rules/remove', {
  args: ['rule'],
  example: 'fid:2,3',
  line: rulesOf,
})
const pause = operatorCall('pause', 'POST /mirror/pause', { line: statusLines })
const resume = operatorCall('resume', 'POST /mirror/resume', { line: statusLines })
const quarantine = operatorCall('quarantine', 'GET /mirror/quarantine', {
  each: ({ messages }) => messages,
  line: ({ fid, hash, reason, detail, tries }) =>
    `fid ${fid} ${hash} ${reason} (${tries} tries): ${oneLine(detail, DETAIL_CHARACTERS)}`,
})
const retry = operatorCall('retry', 'POST /mirror/quarantine/retry', {
  line: ({ people }) => `${people} people are compared again.`,
})
const compare = operatorCall('compare', 'POST /mirror/compare', {
  args: ['fid'],
  example: '2',
  line: (_, { fid }) => `Fid ${fid} is compared again.`,
})

function statusLines(found: Status): string {
  const { people, quarantine: kept, shards, stopped, problem, context } = found
  const all = people.waiting + people.live + people.differ
  const refused = Object.values(kept).reduce((sum, count) => sum + count, 0)
  const open = found.toCompare === 0 ? '' : `, ${found.toCompare} to compare`
  return [
    `${found.source} (${found.kind}), ${found.state}. ${found.trust}.`,
    ...shards.map(({ shard, block, lagSeconds, gaps }) => {
      const name = shard === 0 ? 'Events' : `Shard ${shard} at block ${block}`
      return `${name}: ${lagSeconds} s behind, gaps: ${gaps.seen} seen, ${gaps.repaired} repaired, ${gaps.pruned} pruned.`
    }),
    `complete ${people.live} of ${all}, oldest check ${found.oldestCheck ?? 'none'}, ${refused} quarantined, ${people.differ} differ${open}`,
    ...(context.people === 0 ? [] : [contextLine(context)]),
    ...(stopped === null ? [] : [`Stopped: ${stopped}`]),
    ...(problem === null ? [] : [`Tried again: ${problem}`]),
  ].join('\n')
}

const contextLine = ({ people, casts, waiting, missing, isFull }: Status['context']): string =>
  `context: ${people} people, ${casts} casts, ${waiting} waiting, ${missing} missing${isFull ? '; it is full' : ''}`

/** Following another hub. */
export const addMirrorCommands = (program: Command, config: ClientConfig, env: Environment): void =>
  addGroup(env)(program, config)

const addGroup = (env: Environment) =>
  group(
    'mirror',
    'Following another hub. All but start are for its operator and send ROOKERY_OPS_TOKEN.',
    'status',
    [
      addStart(env),
      status,
      add,
      remove,
      rules,
      addVerify,
      compare,
      quarantine,
      retry,
      pause,
      resume,
    ],
  )
