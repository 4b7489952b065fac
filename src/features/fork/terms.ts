import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Type from 'typebox'
import { Value } from 'typebox/value'
import { ForkSource, type SourceJson } from './source.ts'

// What has to be known of a fork before its settings are read. It is kept beside the data, so that a fork starts without its source.

const FILE = 'fork.json'

const Terms = Type.Object({
  /** The address of the hub. */
  source: Type.String(),
  /** mainnet, testnet or devnet. */
  network: Type.String(),
})
export type ForkTerms = { readonly source: string; readonly network: string }

/** The fork cannot begin; the message says what to do. */
export class ForkTermsError extends Error {}

/** Of the fork in this directory, or of a new one. `network`: as the settings say, if they do; it wins. */
export async function forkTerms(
  dataDir: string,
  url: string,
  network: string | undefined,
): Promise<ForkTerms> {
  const kept = keptTerms(dataDir)
  if (kept && kept.source !== url) {
    throw new ForkTermsError(
      `the data in ${dataDir} are those of a fork of ${kept.source}: give --fork this address, or the fork a --name of its own`,
    )
  }
  return { source: url, network: network || (kept?.network ?? (await networkOf(url))) }
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
  const terms: unknown = JSON.parse(text)
  if (!Value.Check(Terms, terms)) throw new ForkTermsError(`${join(dataDir, FILE)} is not readable`)
  return terms
}

/** Accounts of which one has a message. */
const MAX_ASKED = 20
const NETWORK = /_NETWORK_([A-Z]+)$/

/** Hubs do not say it: the messages do. */
async function networkOf(url: string): Promise<string> {
  const source = new ForkSource(url, { warn() {} })
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
      `${url} is not read as a hub (${(error as Error).message}): --fork takes the address at which a hub answers /v1/info, such as http://127.0.0.1:2281`,
    )
  } finally {
    source.close()
  }
  throw new ForkTermsError(
    `none of the first accounts of ${url} has a profile by which its network is known: set ROOKERY_NETWORK to mainnet, testnet or devnet`,
  )
}
