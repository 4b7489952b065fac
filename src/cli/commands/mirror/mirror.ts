import type { Command } from 'commander'
import type { Environment } from '../../../base/setting.ts'
import type { AnswerOf } from '../../../client/client.ts'
import type { OperationsOperations } from '../../../client/generated/operations.ts'
import type { ClientConfig } from '../../../config.ts'
import { group } from '../../call-command.ts'
import { EXIT_FAILED } from '../../failure.ts'
import { note, oneLine, print, printJson } from '../../output.ts'
import { progressBar } from '../../progress.ts'
import { asOperator, type OperatorOptions, operatorCall, operatorCalls } from '../operator.ts'
import { addStart } from './start.ts'

const DETAIL_CHARACTERS = 300

type Status = AnswerOf<OperationsOperations['get'], '/mirror'>
type Rules = AnswerOf<OperationsOperations['get'], '/mirror/rules'>
type Verified = AnswerOf<OperationsOperations['get'], '/mirror/verify'>

const rulesOf = ({ rules }: Rules): string =>
  rules.length === 0
    ? 'Nobody is mirrored.'
    : rules.map(({ rule, people, error }) => `${rule}: ${error ?? `${people} people`}`).join('\n')

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

function statusLines(found: Status): string {
  const { people, quarantine: kept, shards, stopped, problem, context } = found
  const all = people.waiting + people.live + people.differ
  const refused = Object.values(kept).reduce((sum, count) => sum + count, 0)
  return [
    `${found.source} (${found.kind}), ${found.state}. ${found.trust}.`,
    ...shards.map(({ shard, block, lagSeconds, gaps }) => {
      const name = shard === 0 ? 'Events' : `Shard ${shard} at block ${block}`
      return `${name}: ${lagSeconds} s behind, gaps: ${gaps.seen} seen, ${gaps.repaired} repaired, ${gaps.pruned} pruned.`
    }),
    `complete ${people.live} of ${all}, oldest check ${found.oldestCheck ?? 'none'}, ${refused} quarantined, ${people.differ} differ`,
    ...(context.people === 0 ? [] : [contextLine(context)]),
    ...(stopped === null ? [] : [`Stopped: ${stopped}`]),
    ...(problem === null ? [] : [`Tried again: ${problem}`]),
  ].join('\n')
}

const contextLine = ({ people, casts, waiting, missing, isFull }: Status['context']): string =>
  `context: ${people} people, ${casts} casts, ${waiting} waiting, ${missing} missing${isFull ? '; it is full' : ''}`

type VerifyOptions = OperatorOptions & { readonly level: 'counts' | 'roots' | 'lists' }

/** Ends with 1 unless everybody is equal. */
function addVerify(mirror: Command, config: ClientConfig): void {
  asOperator(mirror.command('verify'), config)
    .summary('compare everybody with the source')
    .description('Changes nothing. Ends with exit code 1 when somebody differs.')
    .option(
      '--level <level>',
      'counts (one request a person), roots (hashes of sets, of Snapchain) or lists (every message)',
      'counts',
    )
    .addHelpText('after', '\nExample:\n  rookery mirror verify --level lists')
    .action(async (options: VerifyOptions) => {
      const calls = operatorCalls(options, config)
      const { people } = await calls.ask('GET /mirror')
      const all = people.waiting + people.live + people.differ
      const bar = progressBar('Comparing')
      const differences: Verified['differences'] = []
      let checked = 0
      for (let after: number | null = 0; after !== null; ) {
        const found: Verified = await calls.ask('GET /mirror/verify', {
          level: options.level,
          after,
        })
        differences.push(...found.differences)
        checked += found.checked
        after = found.next
        bar.update(checked, Math.max(all, checked))
      }
      bar.stop()
      if (options.json) printJson({ checked, differences })
      else {
        for (const { fid, set, here, there } of differences) {
          print(`fid ${fid} ${set}: ${here} here, ${there} at the source`)
        }
        print(`${checked} people compared, ${differences.length} sets differ.`)
      }
      if (differences.length === 0) return
      note('See: rookery mirror quarantine')
      process.exitCode = EXIT_FAILED
    })
}

/** Following another hub. */
export const addMirrorCommands = (program: Command, config: ClientConfig, env: Environment): void =>
  addGroup(env)(program, config)

const addGroup = (env: Environment) =>
  group(
    'mirror',
    'Following another hub. All but start are for its operator and send ROOKERY_OPS_TOKEN.',
    'status',
    [addStart(env), status, add, remove, rules, addVerify, quarantine, retry, pause, resume],
  )
