import { readFileSync, writeFileSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import Type from 'typebox'
import { Value } from 'typebox/value'
import type { Logger } from '../../kernel/http/logger.ts'
import { readForkFile } from './fork-file.ts'
import { PastSource } from './past-source.ts'
import { RecordedSource } from './recorded-source.ts'
import { type ForkSource, HubSource, type SourceHeaders, type SourceJson } from './source.ts'

// What has to be known of a fork before its settings are read. It is kept beside the data, so that a fork starts without its source.

const FILE = 'fork.json'

const Terms = Type.Object({
  /** The address of the hub, or the path of a recorded fork. */
  source: Type.String(),
  /** The time as of which it is read, in Unix seconds. */
  at: Type.Optional(Type.Integer()),
  /** mainnet, testnet or devnet. */
  network: Type.String(),
})
export type ForkTerms = { readonly source: string; readonly network: string; readonly at?: number }

/** What is asked for when a fork starts. */
export type ForkRequest = Omit<ForkTerms, 'network'> & {
  /** As the settings say, if they do; it wins. */
  readonly network: string | undefined
  readonly headers: SourceHeaders
}

/** The fork cannot begin; the message says what to do. */
export class ForkTermsError extends Error {}

/** Of the fork in this directory, or of a new one. */
export async function forkTerms(
  dataDir: string,
  { source, at, network, headers }: ForkRequest,
): Promise<ForkTerms> {
  const kept = keptTerms(dataDir)
  if (kept && (kept.source !== source || kept.at !== at)) {
    const time = kept.at === undefined ? 'without --at' : `with --at ${timeText(kept.at)}`
    throw new ForkTermsError(
      `the data in ${dataDir} are those of a fork of ${kept.source} ${time}: start it so, or give the fork a --name of its own`,
    )
  }
  const found = network || kept?.network || (await networkOf(source, headers))
  return { source, network: found, ...(at !== undefined && { at }) }
}

const timeText = (seconds: number): string =>
  new Date(seconds * 1_000).toISOString().replace('.000', '')

const isFile = (source: string): boolean => isAbsolute(source)

/** Where the accounts of a fork are read. */
export async function openSource(
  { source, at }: Omit<ForkTerms, 'network'>,
  headers: SourceHeaders,
  log: Pick<Logger, 'warn'>,
): Promise<ForkSource> {
  const now = isFile(source)
    ? new RecordedSource((await readForkFile(source)).items)
    : new HubSource(source, log, headers)
  return at === undefined ? now : new PastSource(now, at)
}

/** Notes the terms of a fork that has started. */
export function keepTerms(dataDir: string, terms: ForkTerms): void {
  writeFileSync(join(dataDir, FILE), `${JSON.stringify(terms, undefined, 2)}\n`)
}

function keptTerms(dataDir: string): ForkTerms | undefined {
  let text: string
  try {
    text = readFileSync(join(dataDir, FILE), 'utf8')
  } catch {
    return undefined
  }
  const terms = jsonOf(text)
  if (Value.Check(Terms, terms)) return terms
  throw new ForkTermsError(
    `${join(dataDir, FILE)} is broken: delete ${dataDir} to begin the fork anew, or give the fork a --name of its own`,
  )
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Accounts of which one has a message. */
const MAX_ASKED = 20
const NETWORK = /_NETWORK_([A-Z]+)$/

/** A file says it. Hubs do not: their messages do. */
async function networkOf(url: string, headers: SourceHeaders): Promise<string> {
  if (isFile(url)) return (await readForkFile(url)).network
  const source = new HubSource(url, { warn() {} }, headers)
  try {
    const answer = await source.get('fids', { pageSize: MAX_ASKED, shard_id: 1 })
    const fids = Array.isArray(answer?.fids) ? answer.fids.slice(0, MAX_ASKED) : []
    for (const fid of fids) {
      const profile = await source.get('userData', { fid: Number(fid) })
      const [message] = (profile?.messages ?? []) as SourceJson[]
      const [, name] = NETWORK.exec(String((message?.data as SourceJson)?.network)) ?? []
      if (name) return name.toLowerCase()
    }
  } catch (error) {
    throw new ForkTermsError(
      `${url} is not read as a hub (${(error as Error).message}): --fork takes the address at which a hub answers /v1/info, such as http://127.0.0.1:2281; a hub that asks for a key gets it by --fork-header`,
    )
  } finally {
    source.close()
  }
  throw new ForkTermsError(
    `none of the first accounts of ${url} has a profile by which its network is known: set ROOKERY_NETWORK to mainnet, testnet or devnet`,
  )
}
