import type { Command } from 'commander'
import type { AnswerOf } from '../../client/client.ts'
import type { OperationsOperations } from '../../client/generated/operations.ts'
import type { ClientConfig } from '../../config.ts'
import { group } from '../call-command.ts'
import { hint, oneLine, print, printJson, timeText } from '../output.ts'
import { asOperator, type OperatorOptions, operatorCall, operatorCalls } from './operator.ts'

const REASON_CHARACTERS = 60
const EXPLAINED_REASON_CHARACTERS = 500
const SCORE_DIGITS = 3

const explain = operatorCall('explain', 'GET /platform/badges/explanations/{fid}', {
  example: '7',
  args: ['fid'],
  line: (why) => explanationLines(why).join('\n'),
})

const marking = (kind: 'add' | 'exclude', summary: string, result: string) =>
  operatorCall(kind, 'PUT /platform/badges/marks/{fid}', {
    example: '7 --reason "known to us"',
    summary,
    args: ['fid'],
    fields: { reason: { help: 'reason, which explain shows' } },
    fixed: { kind },
    take: (_, input) => input,
    line: ({ fid }) => `fid ${fid} ${result} until you run: ${hint(`badge clear ${fid}`)}`,
  })

const clear = operatorCall('clear', 'DELETE /platform/badges/marks/{fid}', {
  example: '7',
  args: ['fid'],
  take: (_, { fid }) => ({ fid }),
  line: ({ fid }) => `the score of fid ${fid} decides again`,
})

const run = operatorCall('run', 'POST /platform/badges/runs', {
  take: () => ({ started: true }),
  line: () => `computing the set; when it is ready, see: ${hint('badge list')}`,
})

function addList(badge: Command, config: ClientConfig): void {
  asOperator(badge.command('list'), config)
    .summary('list added and excluded fids, and the computed set')
    .addHelpText('after', '\nExample:\n  rookery badge list')
    .action(async (options: OperatorOptions) => {
      const calls = operatorCalls(options, config)
      const { marks } = await calls.ask('GET /platform/badges/marks')
      const { set } = await calls.ask('GET /platform/badges/set')
      if (options.json) return printJson({ marks, set })
      for (const { fid, kind, reason } of marks) {
        print(`${kind} ${fid}: ${oneLine(reason, REASON_CHARACTERS)}`)
      }
      if (!set) return print('no set has been computed yet')
      const { accounts, edges } = set.summary
      const when = `due ${timeText(set.due)}, computed ${timeText(set.computedAt)}`
      print(`${when}, ${set.count} badges of ${accounts} accounts and ${edges} edges`)
    })
}

type Explanation = AnswerOf<OperationsOperations['get'], '/platform/badges/explanations/{fid}'>

function explanationLines(why: Explanation): string[] {
  const { fid, hasBadge, mark, set, score, rank, supporters, failed } = why
  const reason = mark && oneLine(mark.reason, EXPLAINED_REASON_CHARACTERS)
  const verdict = [
    `fid ${fid} ${hasBadge ? 'has the badge' : 'has no badge'}`,
    ...(mark ? [`the operator says ${mark.kind}: ${reason}`] : []),
  ]
  if (!set) return [...verdict, 'no set has been computed yet']
  const { threshold, supportersNeeded } = set.summary
  return [
    ...verdict,
    `score ${digits(score)}, rank ${rank ?? 'none'}; the badge requires ${digits(threshold)}`,
    `${supporters} trusted accounts support it; the badge requires ${supportersNeeded}`,
    `missing on ${timeText(set.computedAt)}: ${failed.join(', ') || 'nothing'}`,
  ]
}

const digits = (score: number) => score.toExponential(SCORE_DIGITS)

export const addBadgeCommands = group(
  'badge',
  'Power badges, for the operator. Sends ROOKERY_OPS_TOKEN when it is set.',
  'explain 1',
  [
    explain,
    marking('add', 'give a fid the badge regardless of its score', 'has the badge'),
    marking('exclude', 'withhold the badge from a fid regardless of its score', 'has no badge'),
    clear,
    addList,
    run,
  ],
)
