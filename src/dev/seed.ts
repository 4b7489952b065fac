import assert from 'node:assert/strict'
import type { Services } from '../app.ts'
import { REGISTRY } from '../features/registry/port.ts'
import { signNameChange } from '../features/registry/sign.ts'
import { newestGivenFid } from '../kernel/accounts/fid-floor.ts'
import type { Register } from '../kernel/accounts/port.ts'
import {
  signAdd,
  signedKeyRequestMetadata,
  signRegister,
} from '../kernel/accounts/signatures/sign.ts'
import { unixSeconds } from '../kernel/base/clock.ts'
import { submitMessages } from '../kernel/hub/submit/submit-messages.ts'
import { equalBytes, fromHex } from '../kernel/protocol/codec/bytes.ts'
import { accountDomains } from '../kernel/protocol/crypto/account-domains.ts'
import type { SignedMessage } from '../kernel/protocol/message.ts'
import { type DevAccount, devAccount, FIRST_NAMES, nameOf } from './accounts.ts'
import { seedChannels } from './channels.ts'
import { crowdMessages, type SeedKind, SIZES } from './crowd.ts'
import { withLease } from './lease.ts'
import type { AccountOrigin } from './origin.ts'
import { seedSocial } from './social.ts'
import { type Author, profileMessages, worldMessages } from './world.ts'

// Fills a network as users would: with signed account calls, signed registry requests and messages.

/** The index of the next account of the phrase; absent before the world exists. */
const CURSOR = 'dev-accounts'
const DEADLINE_SECONDS = 3_600
/** Messages that wait to be merged at a time. */
const CROWD_BATCH = 1_000

/**
 * Creates the development world unless it exists or the store has other accounts. When several processes start on one
 * database, one of them creates it while the others wait.
 */
export async function seedWorld(services: Services, origin: AccountOrigin): Promise<void> {
  const { storage } = services
  const exists = async () => (await storage.cursors.get(CURSOR)) !== undefined
  if (await exists()) return
  await withLease(storage, CURSOR, async () => {
    if (!(await exists())) await createWorld(services, origin)
  })
}

async function createWorld(services: Services, origin: AccountOrigin): Promise<void> {
  const { storage, clock, config, logger } = services
  if (origin.firstIndex > 0) return createFirstAccounts(services, origin)
  const first = await storage.accounts.custody(1)
  if (first ? !equalBytes(first.address, addressOf(devAccount(0))) : await hasAccounts(services)) {
    logger.warn('these data have accounts of their own; no development accounts were added')
    return
  }
  const authors = await register(
    services,
    origin,
    FIRST_NAMES.map((_, index) => devAccount(index)),
  )
  await giveNames(services, authors)
  await submitAll(services, worldMessages(authors, { nowMs: clock.now(), network: config.network }))
  await seedChannels(services)
  await seedSocial(services)
  await storage.write('hub', (tx) => tx.cursors.put(CURSOR, String(FIRST_NAMES.length)))
}

/** The accounts of a network beside those of another one: they have written nothing, and stand after those of the other. */
async function createFirstAccounts(services: Services, origin: AccountOrigin): Promise<void> {
  const { firstIndex } = origin
  const next = firstIndex + FIRST_NAMES.length
  await hatch(services, origin, { firstIndex, next })
  await services.storage.write('hub', (tx) => tx.cursors.put(CURSOR, String(next)))
}

/** Creates more accounts with names and profiles, ready to post. */
export async function addAccounts(
  services: Services,
  origin: AccountOrigin,
  count: number,
): Promise<Author[]> {
  const indices = await services.storage.write('hub', async (tx) => {
    const firstIndex = Number((await tx.cursors.get(CURSOR)) ?? 0)
    const next = firstIndex + count
    await tx.cursors.put(CURSOR, String(next))
    return { firstIndex, next }
  })
  return hatch(services, origin, indices)
}

type Indices = { readonly firstIndex: number; readonly next: number }

/** Accounts of the phrase with their indices. */
const phraseAccounts = ({ firstIndex, next }: Indices): DevAccount[] =>
  Array.from({ length: next - firstIndex }, (_, i) => devAccount(firstIndex + i))

async function hatch(
  services: Services,
  origin: AccountOrigin,
  indices: Indices,
): Promise<Author[]> {
  const { clock, config } = services
  const accounts = phraseAccounts(indices)
  const authors = await register(services, origin, accounts)
  await giveNames(services, authors)
  const time = { nowMs: clock.now(), network: config.network }
  await submitAll(
    services,
    authors.flatMap((author) => profileMessages(author, [nameOf(author), 'Just hatched.'], time)),
  )
  return authors
}

/** Adds people, and what they wrote. Returns how many of both. */
export async function addCrowd(
  services: Services,
  origin: AccountOrigin,
  kind: SeedKind,
): Promise<{ people: number; messages: number }> {
  const { clock, config } = services
  const authors = await addAccounts(services, origin, SIZES[kind].people)
  const messages = crowdMessages(kind, authors, { nowMs: clock.now(), network: config.network })
  for (let at = 0; at < messages.length; at += CROWD_BATCH) {
    await submitAll(services, messages.slice(at, at + CROWD_BATCH))
  }
  return { people: authors.length, messages: messages.length }
}

/** The accounts of the phrase that have a fid. */
export async function listAccounts(
  { storage }: Services,
  { firstIndex }: AccountOrigin,
): Promise<Author[]> {
  const next = Number((await storage.cursors.get(CURSOR)) ?? firstIndex)
  const accounts = phraseAccounts({ firstIndex, next })
  const custodies = await storage.accounts.byAddresses(accounts.map(addressOf))
  return accounts.flatMap((account) => {
    const held = custodies.find(({ address }) => equalBytes(address, addressOf(account)))
    return held ? [{ fid: held.fid, account }] : []
  })
}

const hasAccounts = async ({ storage }: Services) => (await storage.accounts.count()) > 0

export const addressOf = ({ custody }: DevAccount): Uint8Array => fromHex(custody.address)!

/** Gives each account a fid and a key. Steps of an interrupted start are kept. */
async function register(
  services: Services,
  origin: AccountOrigin,
  accounts: readonly DevAccount[],
): Promise<Author[]> {
  const { fidOf } = services.accounts
  await origin.settle(services)
  // One after the other: fids are assigned in the order of the calls.
  for (const [i, account] of accounts.entries()) {
    if ((await fidOf(addressOf(account))) !== undefined) continue
    await origin.calls.register(await signedRegistration(services, origin, account))
    if (i === 0) await origin.settle(services)
  }
  await origin.settle(services)
  return Promise.all(
    accounts.map(async (account) => {
      const fid = await fidOf(addressOf(account))
      assert(fid !== undefined, 'a registered account has a fid')
      return { fid, account }
    }),
  )
}

async function signedRegistration(
  services: Services,
  origin: AccountOrigin,
  account: DevAccount,
): Promise<Register> {
  const { calls } = origin
  const { clock, config } = services
  const { custody, appKey: key } = account
  const deadline = BigInt(unixSeconds(clock) + DEADLINE_SECONDS)
  const [nonce, keyNonce, { app, requestFid }] = await Promise.all([
    calls.nonce('idGateway', addressOf(account)),
    calls.nonce('keyGateway', addressOf(account)),
    requesterOf(services, origin, account),
  ])
  const extraStorage = config.signupUnits === 0 ? 1 : 0
  const domains = accountDomains(services.signingNetwork)
  const metadata = await signedKeyRequestMetadata(app, { requestFid, key, deadline, domains })
  const added = await signAdd(custody, { key, metadata, deadline, nonce: keyNonce, domains })
  return {
    ...(await signRegister(custody, { nonce, deadline, extraStorage, domains })),
    keys: [added],
  }
}

/** The first account is the app that requests all keys; its own with the fid that it is about to get. */
async function requesterOf(
  { accounts, storage }: Services,
  { firstIndex }: AccountOrigin,
  account: DevAccount,
) {
  const app = devAccount(firstIndex)
  const fid = await accounts.fidOf(addressOf(app))
  return fid === undefined
    ? { app: account.custody, requestFid: (await newestGivenFid(storage)) + 1 }
    : { app: app.custody, requestFid: fid }
}

/**
 * Registers the name of each account. Names of an interrupted start are registered already, which is harmless.
 */
async function giveNames({ of, clock }: Services, authors: readonly Author[]): Promise<void> {
  const registry = of(REGISTRY)
  const timestamp = unixSeconds(clock)
  for (const author of authors) {
    const change = { name: nameOf(author), from: 0, to: author.fid, timestamp }
    await registry.submit(await signNameChange(author.account.custody, change))
  }
}

export async function submitAll(
  { hub }: Services,
  messages: readonly SignedMessage[],
): Promise<void> {
  for (const outcome of await submitMessages(hub, messages)) {
    if (typeof outcome !== 'number') throw outcome
  }
}
