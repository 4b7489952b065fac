import type { Command } from 'commander'
import type { ClientConfig } from '../../config.ts'
import { personArgument } from '../arguments.ts'
import { hint, oneLine, print, printJson, printResult } from '../output.ts'
import { at } from './network.ts'
import { askOperations } from './operator.ts'

const REASON_CHARACTERS = 60
const SCORE_DIGITS = 3

type Operator = { operations: string; token: string | undefined }
type BadgeOptions = { operations: string; json?: true }
type MarkOptions = BadgeOptions & { reason: string }

/** Adds badge explain, add, exclude, clear, list and run, for the operator. */
export function addBadgeCommands(program: Command, config: ClientConfig): void {
  const badge = program
    .command('badge')
    .description('Power badges, for the operator. Sends ROOKERY_OPS_TOKEN when it is set.')
    .addHelpText('after', '\nExample:\n  rookery badge explain 1')
  const command = (name: string, summary: string, example: string) =>
    badge
      .command(name)
      .summary(summary)
      .option('--operations <url>', 'address of the operations interface', config.opsUrl)
      .addHelpText('after', `\nExample:\n  rookery badge ${example}`)
  const onFid = (name: string, summary: string, example: string) =>
    command(name, summary, example).argument('<fid>', 'fid of the account', personArgument)
  const operator = ({ operations }: BadgeOptions): Operator => ({
    operations,
    token: config.opsToken,
  })

  onFid('explain', 'explain why a fid has the badge or not', 'explain 7')
    .option('--json', 'print the explanation as JSON')
    .action(async (fid: number, options: BadgeOptions) => {
      const why = await ask(operator(options), 'GET', `/explanations/${fid}`)
      if (options.json) printJson(why)
      else for (const line of explanationLines(why)) print(line)
    })
  for (const [kind, summary, result] of [
    ['add', 'give a fid the badge regardless of its score', 'has the badge'],
    ['exclude', 'withhold the badge from a fid regardless of its score', 'has no badge'],
  ] as const) {
    onFid(kind, summary, `${kind} 7 --reason "known to us"`)
      .requiredOption('--reason <text>', 'reason, which explain shows')
      .action(async (fid: number, { reason, ...options }: MarkOptions) => {
        await ask(operator(options), 'PUT', `/marks/${fid}`, { kind, reason })
        const text = `fid ${fid} ${result} until you run: ${hint(`badge clear ${fid}`)}`
        printResult(options, { fid, kind, reason }, text)
      })
  }
  onFid('clear', 'let the score of a fid decide again', 'clear 7').action(
    async (fid: number, options: BadgeOptions) => {
      await ask(operator(options), 'DELETE', `/marks/${fid}`)
      printResult(options, { fid }, `the score of fid ${fid} decides again`)
    },
  )
  command('list', 'list added and excluded fids, and the computed set', 'list')
    .option('--json', 'print them as JSON')
    .action((options: BadgeOptions) => printList(operator(options), options))
  command('run', 'compute the set now and replace the last one', 'run').action(
    async (options: BadgeOptions) => {
      await ask(operator(options), 'POST', '/runs')
      const text = `computing the set; when it is ready, see: ${hint('badge list')}`
      printResult(options, { started: true }, text)
    },
  )
}

const ask = ({ operations, token }: Operator, method: string, path: string, body?: object) =>
  askOperations(at(operations, `/platform/badges${path}`), { method, token, body })

async function printList(operator: Operator, { json }: BadgeOptions): Promise<void> {
  const { marks } = await ask(operator, 'GET', '/marks')
  const { set } = await ask(operator, 'GET', '/set')
  if (json) return printJson({ marks, set })
  for (const { fid, kind, reason } of marks) {
    print(`${kind} ${fid}: ${oneLine(reason, REASON_CHARACTERS)}`)
  }
  if (!set) return print('no set has been computed yet')
  const { accounts, edges } = set.summary
  const when = `due ${timeOf(set.due)}, computed ${timeOf(set.computedAt)}`
  print(`${when}, ${set.count} badges of ${accounts} accounts and ${edges} edges`)
}

// biome-ignore lint/suspicious/noExplicitAny: JSON of the operations interface
function explanationLines(why: any): string[] {
  const { fid, hasBadge, mark, set, score, rank, supporters, failed } = why
  const verdict = `fid ${fid} ${hasBadge ? 'has the badge' : 'has no badge'}`
  const marked = mark ? [`the operator says ${mark.kind}: ${oneLine(mark.reason, 500)}`] : []
  if (!set) return [verdict, ...marked, 'no set has been computed yet']
  const { threshold, supportersNeeded } = set.summary
  return [
    verdict,
    ...marked,
    `score ${digits(score)}, rank ${rank ?? 'none'}; the badge requires ${digits(threshold)}`,
    `${supporters} trusted accounts support it; the badge requires ${supportersNeeded}`,
    `missing on ${timeOf(set.computedAt)}: ${failed.join(', ') || 'nothing'}`,
  ]
}

const digits = (score: number) => score.toExponential(SCORE_DIGITS)
const timeOf = (seconds: number) => new Date(seconds * 1000).toISOString().replace('.000', '')
