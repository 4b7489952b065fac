// A mirror of a hub on the same machine: how fast it verifies and commits, how much memory it takes, and how far it is behind
// while it reads the past. Each figure stands beside its aim.

import { statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import type { MirrorStatus } from '../src/features/mirror/status.ts'
import { eventTime } from '../src/kernel/protocol/event-id.ts'
import { viewsCaughtUp } from './app-aims.ts'
import { load } from './client.ts'
import { bulksOf, ed25519Floor, submitsOf } from './hub.ts'
import { inTurn, makeMessages } from './messages.ts'
import { type ProfiledLine, printProfiles, profiled } from './profile.ts'
import { type Server, startServer } from './server-process.ts'

/** People of the first two measurements, so that calls to the source hardly count. */
const FEW = 200
/** Of the third: each message but those of fid 1 belongs to one of so many, as a share of the messages. */
const MANY_SHARE = 0.1
const SLICE = 50_000
const SUBMITTERS = 4
const EVENTS_PER_SECOND = 500
const WRITERS = 32
const LOOK_MS = 200
/** A status counts all people, in the time of the mirror: the next one is asked for after so many times as long. */
const LOOKS_APART = 20

const SHARE_AIM = 0.5
const RSS_AIM_MB = 400
const LAG_AIM_SECONDS = 5
/** The aim of the share is for two cores that do nothing else; a source on the same machine takes some of them. */
const CORES = 2

type Env = Readonly<Record<string, string>>
type EmptyStore = () => Promise<Env>
type AuthorOf = typeof inTurn

/**
 * Mirrors `count` messages of a hub on SQLite into an empty store, three times; only the third time when `people` is
 * given.
 */
export async function benchMirror(
  emptyStore: EmptyStore,
  count: number,
  people?: number,
): Promise<void> {
  console.log('| a mirror | measured | aim | |\n| --- | --- | --- | --- |')
  const profiles = people === undefined ? [await benchFew(emptyStore, count)] : []
  const many = { people: people ?? Math.ceil(count * MANY_SHARE), count }
  const source = await startSource(await emptyStore(), many, halfByOne)
  profiles.push(await benchMany(await emptyStore(), source, many))
  await stop(source)
  printProfiles(profiles)
}

async function benchFew(emptyStore: EmptyStore, count: number): Promise<ProfiledLine> {
  const few = { people: FEW, count }
  const source = await startSource(await emptyStore(), few, inTurn)
  const profile = await benchReading(await emptyStore(), source, few)
  await benchLag(await emptyStore(), source, few)
  await stop(source)
  return profile
}

/** Half of the messages are of fid 1. */
const halfByOne: AuthorOf = (n, accounts) => (n % 20 < 10 ? 1 : inTurn(n >> 1, accounts))

type Network = { readonly people: number; readonly count: number }
/** A hub, and the bytes of its messages. */
type Source = Server & { readonly bytes: number }

async function startSource(
  { DATABASE_URL: _, ...env }: Env,
  { people, count }: Network,
  authorOf: AuthorOf,
): Promise<Source> {
  let sum = 0
  const source = await startServer('rookery', people, { ...env, ROOKERY_VIEWS: 'off' })
  for (let from = 0; from < count; from += SLICE) {
    const { bytes } = makeMessages(Math.min(SLICE, count - from), people, from, authorOf)
    const { failures } = await load(source.hubUrl, bulksOf(bytes), SUBMITTERS)
    if (failures > 0) throw new Error(`${failures} of the bulk submits failed`)
    for (const one of bytes) sum += one.length
  }
  return { ...source, bytes: sum }
}

/** Starts a mirror of everybody on an empty store. */
const startMirror = (env: Env, source: Server): Promise<Server> =>
  startServer('app', 0, {
    ...env,
    ROOKERY_MIRROR_URLS: `grpc://${source.grpc}`,
    ROOKERY_MIRROR_SCOPE: 'all',
    ROOKERY_MIRROR_MIN_FREE_GIB: '0',
  })

async function stop(server: Server): Promise<void> {
  server.stop()
  await server.ended
}

const statusOf = async ({ opsUrl }: Server): Promise<MirrorStatus> =>
  (await (await fetch(`${opsUrl}/mirror`)).json()) as MirrorStatus

/** Resolves when everybody was read and nobody differs; calls `look` with each status on the way. */
async function untilComplete(
  mirror: Server,
  people: number,
  look: (status: MirrorStatus) => void = () => {},
): Promise<void> {
  for (;;) {
    const asked = performance.now()
    const status = await statusOf(mirror)
    const tookMs = performance.now() - asked
    const { stopped, quarantine } = status
    if (stopped !== null || Object.keys(quarantine).length > 0) {
      throw new Error(`the mirror cannot be complete: ${JSON.stringify(status)}`)
    }
    const { live, waiting, reading } = status.people
    if (live === people && waiting + reading === 0) return
    look(status)
    await sleep(Math.max(LOOK_MS, LOOKS_APART * tookMs))
  }
}

/** Verified and committed messages a second beside raw Ed25519 before and after, and the memory meanwhile. */
async function benchReading(env: Env, source: Source, size: Network): Promise<ProfiledLine> {
  const { people, count } = size
  const floors = [ed25519Floor()]
  const mirror = await startMirror(env, source)
  const sourceBefore = await source.usage()
  const started = performance.now()
  const { profile } = await profiled(() => untilComplete(mirror, people))
  const perSecond = count / ((performance.now() - started) / 1_000)
  const { cpuSeconds, peakRssBytes } = await mirror.usage()
  const sourceCpu = (await source.usage()).cpuSeconds - sourceBefore.cpuSeconds
  floors.push(ed25519Floor())
  const end = await stopped(mirror, env)
  const floor = average(floors.map((one) => one.perSecond))
  const floorUs = average(floors.map((one) => one.cpuUs))
  const us = (cpuSeconds / count) * 1e6
  const sourceUs = (sourceCpu / count) * 1e6
  print({
    what: 'messages a second, verified and committed, of raw Ed25519 on one thread',
    value: perSecond / floor,
    aim: SHARE_AIM,
    detail: `${perSecond.toFixed(0)} of ${floor.toFixed(0)}, the source beside it`,
    isEnough: (value) => value >= SHARE_AIM,
  })
  print({
    what: `the same by processor time, ${CORES} cores for the mirror alone`,
    value: (CORES * floorUs) / us,
    aim: SHARE_AIM,
    detail: `${us.toFixed(0)} us each with the start, of which Ed25519 ${floorUs.toFixed(0)}; the source ${sourceUs.toFixed(0)}`,
    isEnough: (value) => value >= SHARE_AIM,
  })
  printMemory(Math.max(peakRssBytes, end.peakRssBytes), size)
  printDisk(end.diskBytes, source, size)
  return { name: 'a message read', cpuUs: us, profile }
}

/** How old the last event is that was applied, while the past is read and events are written to the source. */
async function benchLag(env: Env, source: Server, { people, count }: Network): Promise<void> {
  let [isOver, written] = [false, 0]
  function* writes() {
    while (!isOver) yield submitsOf(makeMessages(1, people, count + written++).bytes)[0]!
  }
  const writing = load(source.hubUrl, writes(), WRITERS, { perSecond: EVENTS_PER_SECOND })
  const mirror = await startMirror(env, source)
  const lags: number[] = []
  await untilComplete(mirror, people, ({ shards: [shard], people: { waiting, reading } }) => {
    if (shard && waiting + reading > 0) lags.push((Date.now() - eventTime(shard.cursor)) / 1_000)
  })
  isOver = true
  const { perSecond, failures } = await writing
  if (failures > 0) throw new Error(`${failures} submits at the source failed`)
  await stop(mirror)
  lags.sort((a, b) => a - b)
  print({
    what: `seconds behind at ${EVENTS_PER_SECOND} events a second while it reads, at most`,
    value: lags.at(-1)!,
    aim: LAG_AIM_SECONDS,
    detail: `median ${lags[lags.length >> 1]!.toFixed(2)}; ${perSecond.toFixed(0)} events a second, ${lags.length} looks`,
    isEnough: (value) => value <= LAG_AIM_SECONDS,
  })
}

/** Reading many people who have few messages each, and one who has many; and the disk that they take with their views. */
async function benchMany(env: Env, source: Source, size: Network): Promise<ProfiledLine> {
  const { people, count } = size
  const floors = [ed25519Floor()]
  const mirror = await startMirror(env, source)
  const started = performance.now()
  const { profile } = await profiled(() => untilComplete(mirror, people))
  const seconds = (performance.now() - started) / 1_000
  const { cpuSeconds, peakRssBytes } = await mirror.usage()
  floors.push(ed25519Floor())
  const end = await stopped(mirror, env)
  const cpuUs = (cpuSeconds / people) * 1e6
  const share = count / seconds / average(floors.map((one) => one.perSecond))
  const detail = `${seconds.toFixed(0)} s, ${share.toFixed(3)} of raw Ed25519; ${cpuUs.toFixed(0)} us of processor time for each person`
  printMemory(Math.max(peakRssBytes, end.peakRssBytes), size, detail)
  printDisk(end.diskBytes, source, size)
  return { name: 'a person read', cpuUs, profile }
}

/** Stops a mirror once its views have everything. What it took. */
async function stopped(mirror: Server, env: Env) {
  await viewsCaughtUp(mirror)
  const { peakRssBytes, diskBytes } = await mirror.usage()
  await stop(mirror)
  return { peakRssBytes, diskBytes: env.DATABASE_URL ? diskBytes : fileBytes(env) }
}

/** What the store and its views take once their logs are in them. */
const fileBytes = ({ ROOKERY_DATA_DIR: dir = '' }: Env): number =>
  ['rookery.sqlite', 'views.sqlite'].reduce((sum, name) => {
    const file = join(dir, name)
    const database = new DatabaseSync(file)
    database.exec('pragma wal_checkpoint(truncate)')
    database.close()
    return sum + statSync(file).size
  }, 0)

const printDisk = (diskBytes: number, { bytes }: Source, { people, count }: Network): void =>
  print({
    what: `bytes of disk for each byte of a message, accounts, events and views included`,
    value: diskBytes / bytes,
    detail: `${(diskBytes / count).toFixed(0)} of ${(bytes / count).toFixed(0)} bytes; ${(count / people).toFixed(0)} messages of a person`,
  })

const printMemory = (bytes: number, { people, count }: Network, detail = ''): void =>
  print({
    what: `MB of RSS at most, ${count} messages of ${people} people`,
    value: bytes / 2 ** 20,
    aim: RSS_AIM_MB,
    detail,
    isEnough: (value) => value <= RSS_AIM_MB,
  })

type Figure = {
  readonly what: string
  readonly value: number
  readonly aim?: number
  readonly detail: string
  readonly isEnough?: (value: number) => boolean
}

function print({ what, value, aim, detail, isEnough }: Figure): void {
  const verdict = isEnough?.(value) === false ? ', missed' : ''
  const figure = value.toFixed(value < 10 ? 2 : 0)
  console.log(`| ${what} | ${figure} | ${aim ?? ''}${verdict} | ${detail} |`)
}

const average = (values: readonly number[]): number =>
  values.reduce((sum, one) => sum + one, 0) / values.length
