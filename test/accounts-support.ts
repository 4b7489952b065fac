import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe } from 'node:test'
import { mnemonicToAccount } from 'viem/accounts'
import { createLedger, type Ledger } from '../src/kernel/accounts/ledger.ts'
import type { AccountCalls } from '../src/kernel/accounts/port.ts'
import type { LedgerSettings } from '../src/kernel/accounts/settings.ts'
import {
  addressOf,
  signAdd,
  signedKeyRequestMetadata,
  signRegister,
} from '../src/kernel/accounts/signatures/sign.ts'
import { Rejection } from '../src/kernel/protocol/rejection.ts'
import type { OnChainEvent } from '../src/kernel/protocol/wire/onchain_event_pb.js'
import type { Storage } from '../src/kernel/storage/storage.ts'
import { openWholeStore } from '../src/store.ts'
import { movableClock } from './movable-clock.ts'
import { adminQuery, createDatabase, PATIENT } from './postgres.ts'
import { copyStoreTemplate } from './store-template.ts'

// For tests: a ledger on an empty store, a fixed clock, and people with keys.

/** The phrase whose accounts development chains fund. */
export const TEST_PHRASE = 'test test test test test test test test test test test junk'

/** The account at m/44'/60'/0'/0/<index> of the test phrase. */
export const person = (index: number) => mnemonicToAccount(TEST_PHRASE, { addressIndex: index })
export const [alice, bob, carol, dave] = [person(1), person(2), person(3), person(4)] as const

/** 2026-01-01, in Unix seconds. */
export const NOW = 1_767_225_600
export const LATER = BigInt(NOW + 3600)
export const NOBODY = new Uint8Array(20)

export type Bench = {
  readonly ledger: Ledger
  readonly storage: Storage
  readonly clock: ReturnType<typeof movableClock>
  /** What `onMerged` was told, call by call. */
  readonly told: (readonly OnChainEvent[])[]
  /** Another process on the same store. */
  another(settings?: Partial<LedgerSettings>): Ledger
  close(): Promise<void>
}

export type Engine = { readonly name: string; open(): Promise<[Storage, () => Promise<void>]> }

export const sqlite: Engine = {
  name: 'sqlite',
  async open() {
    const dataDir = mkdtempSync(join(tmpdir(), 'rookery-accounts-'))
    copyStoreTemplate(dataDir)
    const storage = await openWholeStore({ dataDir, network: 'test' })
    return [storage, async () => rmSync(dataDir, { recursive: true, force: true })]
  },
}

/** One database for a suite, emptied for each test: that takes a tenth of the time of a new one. */
function postgresEngine(): Engine & { drop(): Promise<void> } {
  let database: Awaited<ReturnType<typeof createDatabase>> | undefined
  return {
    name: 'postgres',
    async open() {
      const isNew = database === undefined
      database ??= await createDatabase()
      if (!isNew) await emptyTables(database.url)
      const storage = await openWholeStore({
        databaseUrl: database.url,
        postgresLimits: PATIENT,
        dataDir: '',
        network: 'test',
      })
      return [storage, async () => {}]
    },
    drop: async () => database?.drop(),
  }
}

async function emptyTables(url: string): Promise<void> {
  const rows = await adminQuery(
    url,
    "select tablename from pg_tables where schemaname = 'public' and tablename not in ('schema_migration', 'schema_part')",
  )
  // For a few rows in a few tables `truncate`, which makes every file of all of them anew, takes longer.
  await adminQuery(url, rows.map(({ tablename }) => `delete from ${tablename}`).join(';'))
}

/** The same suite on every engine. */
export function onEngines(name: string, suite: (engine: Engine) => void): void {
  describe(`${name} on sqlite`, () => suite(sqlite))
  describe(`${name} on postgres`, () => {
    const engine = postgresEngine()
    suite(engine)
    after(() => engine.drop())
  })
}

export async function bench(
  engine: Engine,
  settings: Partial<LedgerSettings> = {},
): Promise<Bench> {
  const [storage, remove] = await engine.open()
  const clock = movableClock({ now: () => NOW * 1000 })
  const told: (readonly OnChainEvent[])[] = []
  const onMerged = (_tx: unknown, _log: unknown, events: readonly OnChainEvent[]) => {
    told.push(events)
  }
  const another = (other: Partial<LedgerSettings> = {}) =>
    createLedger({ storage, clock, settings: { ...settings, ...other }, onMerged })
  const close = async () => {
    await storage.close()
    await remove()
  }
  return { ledger: another(), storage, clock, told, another, close }
}

/** A key of 32 equal bytes. */
export const keyOf = (byte: number) => new Uint8Array(32).fill(byte)

/** Registers people one after the other; they get the fids 1, 2, ... */
export async function enroll(
  accounts: AccountCalls,
  ...people: readonly (typeof alice)[]
): Promise<number[]> {
  const fids: number[] = []
  for (const one of people) {
    const nonce = await accounts.nonce('idGateway', addressOf(one))
    const call = await signRegister(one, { deadline: LATER, nonce, recovery: addressOf(dave) })
    fids.push((await accounts.registerFor(call)).fid)
  }
  return fids
}

/** A key that an app asked a person to add. */
export async function newKey(
  owner: typeof alice,
  key: Uint8Array,
  {
    app = owner,
    requestFid,
    nonce = 0,
  }: { app?: typeof alice; requestFid: number; nonce?: number },
) {
  const metadata = await signedKeyRequestMetadata(app, { requestFid, key, deadline: LATER })
  return signAdd(owner, { key, metadata, nonce, deadline: LATER })
}

/** The code and field of a refusal, which must be one. */
export async function refusal(call: Promise<unknown>): Promise<string> {
  const error = await call.then(
    () => new Error('was accepted'),
    (error) => error,
  )
  assert.ok(error instanceof Rejection, error)
  return error.field ? `${error.code} ${error.field}` : error.code
}
