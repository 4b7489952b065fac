import type { Command } from 'commander'
import {
  adviceOf,
  type Estimate,
  estimate,
  type MirrorStore,
} from '../../../features/mirror/estimate.ts'
import { addRule, parseRule, RULE_FORMS } from '../../../features/mirror/rules.ts'
import { certificatesIn, MIRROR_SETTINGS } from '../../../features/mirror/settings.ts'
import { Source } from '../../../features/mirror/source/source.ts'
import type { Environment, Setting } from '../../../kernel/base/setting.ts'
import { MIB } from '../../../kernel/protocol/sizes.ts'
import { STORAGE_SETTINGS } from '../../../kernel/storage/settings.ts'
import { Failure } from '../../failure.ts'
import { print, printJson } from '../../output.ts'
import { freeBytesOf } from '../setup/machine-checks.ts'
import { showReading } from './reading.ts'

type StartOptions = {
  readonly people: readonly string[]
  readonly header: readonly string[]
  readonly dryRun?: true
  readonly json?: true
}

const collected = (value: string, before: readonly string[] = []) => [...before, value]

/** A server that mirrors, and what it would cost. */
export const addStart =
  (env: Environment) =>
  (mirror: Command): void => {
    mirror
      .command('start')
      .argument('<urls...>', 'hubs to mirror, first choice first: grpcs://host:port')
      .summary('run a server that mirrors a hub')
      .description(
        'Like `rookery serve`, with ROOKERY_MIRROR_URLS and ROOKERY_MIRROR_HEADERS set. With --dry-run it asks the hub what a ' +
          'mirror would cost and ends.',
      )
      .option('--people <rule>', `who is mirrored: ${RULE_FORMS}; may be repeated`, collected, [])
      .option('--header <name=value>', 'metadata of each call; may be repeated', collected, [])
      .option('--dry-run', 'say what it would cost, and change nothing')
      .addHelpText(
        'after',
        '\nExample:\n  rookery mirror start grpcs://hub.example:3383 --people fid:2,3 --dry-run',
      )
      .action(async (urls: readonly string[], options: StartOptions) => {
        const all = {
          ...env,
          ROOKERY_MIRROR_URLS: urls.join(','),
          ...(options.header.length > 0 && { ROOKERY_MIRROR_HEADERS: options.header.join(',') }),
        }
        if (options.dryRun) return dryRun(all, options)
        const rules = options.people.map(parseRule)
        const { runServer } = await import('../server.ts')
        await runServer('production', all, {
          json: options.json,
          onStarted: async (app) => {
            const { storage, clock } = app
            for (const rule of rules) {
              await storage.write('hub', (tx) => addRule(tx, rule, { now: clock.now() }))
            }
            return showReading(app)
          },
        })
      })
  }

async function dryRun(env: Environment, { people, json }: StartOptions): Promise<void> {
  const { mirrorUrls, mirrorHeaders, mirrorCa, mirrorRate, mirrorScope } = MIRROR_SETTINGS.settings
  const read = <T>({ variable, parse, defaults }: Setting<T>): T => {
    try {
      return parse(env[variable] || (defaults.production ?? ''))
    } catch (error) {
      throw new Failure(`${variable} ${(error as Error).message}`)
    }
  }
  const isAll = read(mirrorScope) === 'all'
  if (!isAll && people.length === 0) throw new Failure('say who is mirrored: --people fid:2,3')
  const rate = read(mirrorRate)
  const source = new Source({
    addresses: read(mirrorUrls),
    headers: read(mirrorHeaders),
    rate,
    concurrency: DRY_RUN_CONCURRENCY,
    ca: certificatesIn(env[mirrorCa.variable] || undefined),
  })
  try {
    const found = await estimate(source, { rules: isAll ? 'all' : people, rate })
    const { databaseUrl, dataDir, network } = STORAGE_SETTINGS.settings
    const isEmbedded = !env[databaseUrl.variable]
    const freeBytes = isEmbedded ? freeBytesOf(read(dataDir)) : undefined
    const store = {
      isEmbedded,
      freeBytes,
      network: env[network.variable] ? read(network) : undefined,
    }
    if (json)
      printJson({ ...found, diskFreeBytes: freeBytes ?? null, advice: adviceOf(found, store) })
    else print(estimateLines(found, store))
  } finally {
    source.close()
  }
}

const DRY_RUN_CONCURRENCY = 4

function estimateLines(estimated: Estimate, store: MirrorStore): string {
  const { messages, seconds, ...found } = estimated
  const free =
    store.freeBytes === undefined ? '' : `, ${Math.floor(store.freeBytes / MIB)} MiB are free`
  const byCalls = seconds.byCalls ?? 0
  const decides = byCalls > seconds.byCpu ? 'the rate of requests' : 'the processor'
  return [
    `${found.source} (${found.kind}): ${found.people} people, ${found.sampled} of them asked.`,
    `Messages: ${messages.expected} (95 %: ${messages.least} to ${messages.most}).`,
    `Requests: ${found.calls}. Disk: ${Math.ceil(found.diskBytes / MIB)} MiB without views${free}.`,
    `Time: ${Math.ceil(Math.max(byCalls, seconds.byCpu) / 60)} minutes; ${decides} decides.`,
    ...adviceOf(estimated, store),
  ].join('\n')
}
