import { setTimeout as delay } from 'node:timers/promises'
import type { Command } from 'commander'
import type { AnswerOf } from '../../../client/client.ts'
import type { OperationsOperations } from '../../../client/generated/operations.ts'
import type { ClientConfig } from '../../../config.ts'
import type { Calls } from '../../calls.ts'
import { EXIT_FAILED, Failure } from '../../failure.ts'
import { note, print, printJson } from '../../output.ts'
import { progressBar } from '../../progress.ts'
import { asOperator, type OperatorOptions, operatorCalls } from '../operator.ts'
import { fidOfName } from '../people.ts'

type Verified = AnswerOf<OperationsOperations['get'], '/mirror/verify'>
type Status = AnswerOf<OperationsOperations['get'], '/mirror'>
type VerifyOptions = OperatorOptions & {
  readonly level: 'counts' | 'roots' | 'lists'
  readonly fids?: string
  readonly against?: string
  readonly header: readonly string[]
}
type Portion = { readonly after?: number; readonly fids?: number[] }

const FIDS_AT_ONCE = 20
/** How long a mirror that is behind is waited for. */
const MAX_WAITS = 60
const WAIT_MS = 5_000
/** Further differences are counted; --json has all. */
const MAX_LINES = 100

const collected = (value: string, before: readonly string[] = []) => [...before, value]

/** Ends with 1 unless everybody is equal. */
export function addVerify(mirror: Command, config: ClientConfig): void {
  asOperator(mirror.command('verify'), config)
    .summary('compare everybody with the source')
    .description(
      'Changes nothing, and waits while events are not applied yet. Ends with exit code 1 when somebody differs, is not ' +
        'mirrored or was not read yet. What is in quarantine or kept away by moderation is no difference.',
    )
    .option(
      '--level <level>',
      'counts (one request a person), roots (hashes of sets, of Snapchain) or lists (every message)',
      'counts',
    )
    .option('--fids <fids>', 'only these people, fids or names such as @alice, comma separated')
    .option('--against <url>', 'compare with this hub in place of the source')
    .option(
      '--header <name=value>',
      'metadata of calls to that hub; may be repeated',
      collected,
      [],
    )
    .addHelpText('after', '\nExample:\n  rookery mirror verify --level lists')
    .action(async (options: VerifyOptions) => {
      const calls = operatorCalls(options, config)
      const status = await calls.ask('GET /mirror')
      const fids = await fidsOf(options.fids, config.hubUrl)
      const verified = await verifyAll(calls, status, { ...options, fids })
      const { differences, notRead, notMirrored } = verified
      if (options.json) printJson(verified)
      else printVerified(verified, status)
      if (differences.length > 0)
        note('See: rookery mirror quarantine. Repair: rookery mirror compare FID')
      const isProven = differences.length + notRead + notMirrored.length === 0
      if (!isProven) process.exitCode = EXIT_FAILED
    })
}

function printVerified(
  { checked, differences, notRead, notMirrored }: Omit<Verified, 'next'>,
  status: Status,
): void {
  for (const fid of notMirrored) print(`fid ${fid}: not mirrored here`)
  for (const { fid, set, here, there } of differences.slice(0, MAX_LINES)) {
    print(`fid ${fid} ${set}: ${here} here, ${there} at the source`)
  }
  const left = differences.length - MAX_LINES
  if (left > 0) print(`and ${left} more: see them with --json`)
  print(allowedLine(status))
  if (notRead > 0) print(`People who were not read yet, and not compared: ${notRead}.`)
  print(`${checked} people compared, ${differences.length} sets differ.`)
}

async function verifyAll(
  calls: Calls<'operations'>,
  { people }: Status,
  { fids, ...options }: Omit<VerifyOptions, 'fids'> & { fids: number[] | undefined },
): Promise<Omit<Verified, 'next'>> {
  const all = fids?.length ?? people.waiting + people.live + people.differ
  const bar = progressBar('Comparing')
  const differences: Verified['differences'] = []
  const notMirrored: number[] = []
  let checked = 0
  let notRead = 0
  const take = async (portion: Portion): Promise<number | null> => {
    const found = await patiently(() => ask(calls, options, portion))
    differences.push(...found.differences)
    notMirrored.push(...found.notMirrored)
    checked += found.checked
    notRead += found.notRead
    bar.update(checked + notRead, Math.max(all, checked + notRead))
    return found.next
  }
  try {
    if (fids) {
      for (let at = 0; at < fids.length; at += FIDS_AT_ONCE) {
        await take({ fids: fids.slice(at, at + FIDS_AT_ONCE) })
      }
    } else for (let after: number | null = 0; after !== null; ) after = await take({ after })
  } finally {
    bar.stop()
  }
  return { checked, differences, notRead, notMirrored }
}

function ask(
  calls: Calls<'operations'>,
  { level, against, header }: Omit<VerifyOptions, 'fids'>,
  portion: Portion,
): Promise<Verified> {
  if (against === undefined && !portion.fids) {
    return calls.ask('GET /mirror/verify', { level, ...portion })
  }
  const headers = Object.fromEntries(
    header.map((text) => [text.slice(0, text.indexOf('=')), text.slice(text.indexOf('=') + 1)]),
  )
  const other = against === undefined ? {} : { url: against, headers }
  return calls.ask('POST /mirror/verify', { ...other, level, ...portion })
}

/** Repeats the request for some minutes while the mirror lags behind its source. */
async function patiently<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      const isBehind = error instanceof Error && /not applied yet/.test(error.message)
      if (!isBehind || attempt === MAX_WAITS) throw error
      await delay(WAIT_MS)
    }
  }
}

function fidsOf(text: string | undefined, hub: string): Promise<number[] | undefined> {
  if (text === undefined) return Promise.resolve(undefined)
  return Promise.all(
    text.split(',').map(async (one) => {
      const person = one.trim()
      if (person.startsWith('@')) return fidOfName(hub, person.slice(1))
      const fid = Number(person)
      if (Number.isInteger(fid) && fid > 0) return fid
      throw new Failure(`--fids ${one} is neither a fid nor a name such as @alice`)
    }),
  )
}

const allowedLine = ({ quarantine, withheld }: Status): string => {
  const refused = Object.values(quarantine).reduce((sum, count) => sum + count, 0)
  return `Not stored, as it must be: ${refused} in quarantine, ${withheld} kept away by moderation.`
}
