import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { create, toBinary } from '@bufbuild/protobuf'
import { NO_BYTES } from '../src/kernel/protocol/sizes.ts'
import {
  castsByParentKey,
  castTargetKey,
  linksByTargetKey,
  MESSAGE_SETS,
  reactionsByTargetKey,
  userDataSlot,
} from '../src/kernel/protocol/slots.ts'
import { networkTime } from '../src/kernel/protocol/time.ts'
import {
  MessageDataSchema,
  MessageType,
  ReactionType,
  UserDataType,
} from '../src/kernel/protocol/wire/message_pb.js'
import { openWholeStore } from '../src/store.ts'
import { randomFrom } from '../test/random.ts'

/** A measured quantity and its value, for a table. */
export type BadgeMeasures = Readonly<Record<string, string>>

const EDGES_PER_ACCOUNT = 20
const SECONDS_OF_HISTORY = 120 * 24 * 3_600
/** Accounts with a profile. */
const PROFILES = 50_000
const ROWS_PER_TRANSACTION = 500_000
export const NETWORK = '3'

/** Measures time and memory of computing the power badges of a number of accounts, on the embedded store. */
export async function benchBadges(accounts: number): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'rookery-badges-'))
  try {
    const started = performance.now()
    await (await openWholeStore({ dataDir, network: NETWORK })).close()
    fill(join(dataDir, 'rookery.sqlite'), accounts)
    const edges = accounts * EDGES_PER_ACCOUNT
    console.log(`\npower badges of ${accounts} accounts, ${edges} follows, reactions and replies`)
    console.log(`(written to the store in ${seconds(performance.now() - started)} s)`)
    for (const how of ['steps', 'server']) printMeasures(await measureIn(how, dataDir))
  } finally {
    rmSync(dataDir, { recursive: true })
  }
}

async function measureIn(how: string, dataDir: string): Promise<BadgeMeasures> {
  const child = fork(new URL('./badges-process.ts', import.meta.url), [how, dataDir])
  const [measures] = await Promise.race([
    once(child, 'message') as Promise<[BadgeMeasures]>,
    once(child, 'exit').then(() => {
      throw new Error('the badges process ended')
    }),
  ])
  return measures
}

function printMeasures(measures: BadgeMeasures): void {
  console.log('| what | measure |')
  console.log('| --- | --- |')
  for (const [what, measure] of Object.entries(measures)) console.log(`| ${what} | ${measure} |`)
}

export const seconds = (ms: number): string => (ms / 1000).toFixed(1)

/**
 * Writes the columns that badges read as merging would. A few accounts have most followers, and a few
 * have most interactions.
 */
function fill(file: string, accounts: number): void {
  const database = new DatabaseSync(file)
  database.exec('pragma synchronous = off; pragma journal_mode = off; pragma cache_size = -262144')
  const indexes = database
    .prepare("select name, sql from sqlite_schema where type = 'index' and tbl_name = 'message'")
    .all() as { name: string; sql: string }[]
  for (const { name } of indexes) database.exec(`drop index ${name}`)
  const insert = database.prepare(
    `insert into message (id, fid, store, type, timestamp, hash, kept_slot, target, signer, signature, form, data)
     values (?, ?, ?, ?, ?, ?, ?, ?, zeroblob(32), zeroblob(64), 0, ?)`,
  )
  database.exec('begin')
  const now = networkTime(Date.now())
  const random = randomFrom(1)
  const part = () => random.int(2 ** 30) / 2 ** 30
  let id = 0
  const add = (
    fid: number,
    store: number,
    type: number,
    target: Uint8Array | null,
    given?: Given,
  ) => {
    const hash = Buffer.allocUnsafe(20)
    for (let at = 0; at < 20; at += 4) hash.writeUInt32BE(random.int(2 ** 32), at)
    const timestamp = now - random.int(SECONDS_OF_HISTORY)
    const { slot = hash, data = NO_BYTES } = given ?? {}
    insert.run(++id, fid, store, type, timestamp, hash, slot, target, data)
    if (id % ROWS_PER_TRANSACTION === 0) database.exec('commit; begin')
  }
  const custody = database.prepare(
    'insert into custody values (?, randomblob(20), 1, 1, zeroblob(20), -1, -1)',
  )
  for (let fid = 1; fid <= accounts; fid++) {
    custody.run(fid)
    add(fid, MESSAGE_SETS.casts, MessageType.CAST_ADD, null)
  }
  for (let fid = 1; fid <= Math.min(PROFILES, accounts); fid++) {
    for (const type of PROFILE_TYPES) {
      const given = { slot: userDataSlot(fid, type), data: userData(type) }
      add(fid, MESSAGE_SETS.userData, MessageType.USER_DATA_ADD, null, given)
    }
  }
  for (let edge = 0; edge < accounts * EDGES_PER_ACCOUNT; edge++) {
    const from = 1 + Math.floor(part() ** 2 * accounts)
    const to = 1 + Math.floor(part() ** 3 * accounts)
    const cast = castTargetKey(to, Buffer.alloc(20, random.int(50)))
    const kind = random.int(100)
    if (kind < 60) {
      add(from, MESSAGE_SETS.links, MessageType.LINK_ADD, linksByTargetKey(to, 'follow'))
    } else if (kind < 90) {
      const type = kind < 83 ? ReactionType.LIKE : ReactionType.RECAST
      add(from, MESSAGE_SETS.reactions, MessageType.REACTION_ADD, reactionsByTargetKey(type, cast))
    } else {
      add(from, MESSAGE_SETS.casts, MessageType.CAST_ADD, castsByParentKey(cast))
    }
  }
  database.exec('commit')
  for (const { sql } of indexes) database.exec(sql)
  database.close()
}

type Given = { slot: Uint8Array; data: Uint8Array }
const PROFILE_TYPES = [
  UserDataType.USER_DATA_TYPE_USERNAME,
  UserDataType.USER_DATA_TYPE_DISPLAY,
  UserDataType.USER_DATA_TYPE_BIO,
]

const userData = (type: UserDataType): Uint8Array =>
  toBinary(
    MessageDataSchema,
    create(MessageDataSchema, {
      type: MessageType.USER_DATA_ADD,
      body: { case: 'userDataBody', value: { type, value: 'somebody' } },
    }),
  )
