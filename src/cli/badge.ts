import type { Command } from 'commander'
import type { ClientConfig } from '../config.ts'
import { fidArgument } from './arguments.ts'
import { askWithToken } from './client.ts'
import { at } from './network.ts'
import { oneLine, print, printJson } from './output.ts'

const REASON_CHARACTERS = 60
const SCORE_DIGITS = 3

type Operator = { operations: string; token: string | undefined }
type BadgeOptions = { operations: string; json?: true }
type MarkOptions = BadgeOptions & { reason: string }

/** badge explain, add, exclude, clear, list and run: what the operator may ask and decide. */
export function addBadgeCommands(program: Command, config: ClientConfig): void {
  const badge = program
    .command('badge')
    .description('Power badges, for the operator: ROOKERY_OPS_TOKEN is sent when it is set.')
    .addHelpText('after', '\nExample:\n  rookery badge explain 1')
  const command = (name: string, summary: string, example: string) =>
    badge
      .command(name)
      .summary(summary)
      .option('--operations <url>', 'address of the operations interface', config.opsUrl)
      .addHelpText('after', `\nExample:\n  rookery badge ${example}`)
  const onFid = (name: string, summary: string, example: string) =>
    command(name, summary, example).argument('<fid>', 'whose badge', fidArgument)
  const operator = ({ operations }: BadgeOptions): Operator => ({
    operations,
    token: config.opsToken,
  })

  onFid('explain', 'print why a fid has the badge, or has none', 'explain 7')
    .option('--json', 'print the explanation as the server gives it')
    .action(async (fid: number, options: BadgeOptions) => {
      const why = await ask(operator(options), 'GET', `/explanations/${fid}`)
      if (options.json) printJson(why)
      else for (const line of explanationLines(why)) print(line)
    })
  for (const [kind, summary, result] of [
    ['add', 'give a fid the badge whatever its score', 'has the badge'],
    ['exclude', 'take the badge from a fid whatever its score', 'has no badge'],
  ] as const) {
    onFid(kind, summary, `${kind} 7 --reason "known to us"`)
      .requiredOption('--reason <text>', 'why, for who asks later')
      .action(async (fid: number, { reason, ...options }: MarkOptions) => {
        await ask(operator(options), 'PUT', `/marks/${fid}`, { kind, reason })
        print(`fid ${fid} ${result}, until you clear that`)
      })
  }
  onFid('clear', 'leave a fid to its score again', 'clear 7').action(
    async (fid: number, options: BadgeOptions) => {
      await ask(operator(options), 'DELETE', `/marks/${fid}`)
      print(`fid ${fid} is left to its score`)
    },
  )
  command('list', 'print who is added or excluded, and the sets that were computed', 'list')
    .option('--json', 'print them as the server gives them')
    .action((options: BadgeOptions) => printList(operator(options), options))
  command('run', 'compute the set now, in place of the last one', 'run').action(
    async (options: BadgeOptions) => {
      await ask(operator(options), 'POST', '/runs')
      print('it is being computed; `rookery badge list` shows it when it is there')
    },
  )
}

const ask = ({ operations, token }: Operator, method: string, path: string, body?: object) =>
  askWithToken(at(operations, `/platform/badges${path}`), { method, token, body })

async function printList(operator: Operator, { json }: BadgeOptions): Promise<void> {
  const { marks } = await ask(operator, 'GET', '/marks')
  const { sets } = await ask(operator, 'GET', '/sets')
  if (json) return printJson({ marks, sets })
  for (const { fid, kind, reason } of marks) {
    print(`${kind} ${fid}: ${oneLine(reason, REASON_CHARACTERS)}`)
  }
  for (const { id, due, computedAt, count, summary } of sets) {
    const { accounts, edges } = summary
    const when = `due ${timeOf(due)}, computed ${timeOf(computedAt)}`
    print(`set ${id}: ${when}, ${count} badges of ${accounts} accounts and ${edges} edges`)
  }
}

// biome-ignore lint/suspicious/noExplicitAny: JSON of the operations interface
function explanationLines(why: any): string[] {
  const { fid, hasBadge, mark, run, score, rank, supporters, failed, givers, giverCount } = why
  const verdict = `fid ${fid} ${hasBadge ? 'has the badge' : 'has no badge'}`
  const marked = mark ? [`the operator says ${mark.kind}: ${oneLine(mark.reason, 500)}`] : []
  if (!run) return [verdict, ...marked, 'no set was computed yet']
  const { threshold, supportersNeeded } = run.summary
  return [
    verdict,
    ...marked,
    `score ${digits(score)}, rank ${rank ?? 'none'}; the badge takes ${digits(threshold)}`,
    `${supporters} accounts of standing support it; the badge takes ${supportersNeeded}`,
    `lacking on ${timeOf(run.computedAt)}: ${failed.join(', ') || 'nothing'}`,
    `now: ${nowOf(why)}`,
    `${why.isComplete ? '' : 'more than '}${giverCount} accounts did something to it; the most gave`,
    ...givers.map(
      (giver: { fid: number; gave: number; by: string[] }) =>
        `  ${digits(giver.gave)} fid ${giver.fid} (${giver.by.join(', ')})`,
    ),
  ]
}

function nowOf({ profile, isActive }: { profile: Record<string, boolean>; isActive: boolean }) {
  const missing = Object.keys(profile).filter((entry) => !profile[entry])
  const entries = missing.length === 0 ? 'a full profile' : `no ${missing.join(', no ')}`
  return `${isActive ? 'active' : 'not active'}, ${entries}`
}

const digits = (score: number) => score.toExponential(SCORE_DIGITS)
const timeOf = (seconds: number) => new Date(seconds * 1000).toISOString().replace('.000', '')
