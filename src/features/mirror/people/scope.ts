import { HOUR_MS } from '../../../kernel/protocol/time.ts'
import type { Writer } from '../../../kernel/storage/storage.ts'
import { type MirrorContext, writeAsLeader } from '../context.ts'
import { addRule, isSameRule } from '../rules.ts'
import { GrpcError } from '../source/grpc-client.ts'
import { type MirrorRule, mirrorRows } from '../tables/mirror.ts'
import { dropContextCasts, noteContextOf } from './cast-context.ts'
import { CapError, membersOf } from './members.ts'
import { newPerson } from './new-person.ts'

// The people whom the rules name.

const PORTION = 500
/** Whom no rule names any more is followed for this long: a rule may name them again. */
const LEAVING_MS = 24 * HOUR_MS
/** A rule that could not be resolved is tried again. */
const RETRY_MS = 60_000

/** Rules whose people change: they are resolved every hour. */
const CHANGING: ReadonlySet<MirrorRule['kind']> = new Set([
  'name',
  'file',
  'followers-of',
  'following-of',
  'members-of',
])

export class Scope {
  readonly #context: MirrorContext
  readonly #isAll: boolean
  #rules = ''
  #sortedAt = 0
  /** By id and time of the rule. */
  readonly #failedAt = new Map<string, number>()

  constructor(context: MirrorContext, isAll: boolean) {
    this.#context = context
    this.#isAll = isAll
  }

  /** Finds out whom the rules name that were never resolved, or an hour ago. New people are read next. */
  async resolve(): Promise<void> {
    const { storage, clock } = this.#context
    const now = clock.now()
    if (this.#rules === '') await this.#followSetting(now)
    const rules = await storage.of(mirrorRows).rules()
    let isChanged = false
    for (const rule of rules) {
      if (!this.#isDue(rule, now)) continue
      await this.#resolve(rule)
      isChanged = true
    }
    const ids = rules.map(({ id }) => id).join(',')
    if (!isChanged && ids === this.#rules && now - this.#sortedAt < HOUR_MS) return
    this.#rules = ids
    this.#sortedAt = now
    if (!rules.some(({ kind }) => kind === 'all')) {
      await writeAsLeader(this.#context, (tx) =>
        tx.of(mirrorRows).noteLeavers({ now, frozenBefore: now - LEAVING_MS }),
      )
    }
  }

  /** Everybody is a rule, too: ROOKERY_MIRROR_SCOPE adds it, or ends it. */
  async #followSetting(now: number): Promise<void> {
    const all = (await this.#context.storage.of(mirrorRows).rules()).find(
      ({ kind }) => kind === 'all',
    )
    if (this.#isAll === (all !== undefined)) return
    await writeAsLeader(this.#context, async (tx) => {
      if (all) await tx.of(mirrorRows).removeRule(all.id)
      else await addRule(tx, { kind: 'all', value: '' }, { now })
    })
  }

  #isDue(rule: MirrorRule, now: number): boolean {
    const { kind, resolved_at, error } = rule
    if ((this.#failedAt.get(keyOf(rule)) ?? Number.NEGATIVE_INFINITY) > now - RETRY_MS) return false
    const mayChange = CHANGING.has(kind) || error !== null
    return resolved_at === 0 || (mayChange && resolved_at <= now - HOUR_MS)
  }

  async #resolve(rule: MirrorRule): Promise<void> {
    const { clock, signal } = this.#context
    let people = rule.people
    let error: string | null = null
    try {
      ;({ people, error } = await resolve(this.#context, rule))
      this.#failedAt.delete(keyOf(rule))
    } catch (failure) {
      if (signal.aborted || !isOfRule(failure)) throw failure
      this.#failedAt.set(keyOf(rule), clock.now())
      error = (failure as Error).message
    }
    await writeIfSame(this.#context, rule, (tx) =>
      tx.of(mirrorRows).putRules([{ ...rule, resolved_at: clock.now(), people, error }]),
    )
  }
}

const keyOf = ({ id, added_at }: MirrorRule): string => `${id} ${added_at}`

/** Writes what was found out about a rule, unless it was removed or added again meanwhile. Returns whether it did. */
const writeIfSame = (
  context: MirrorContext,
  rule: MirrorRule,
  write: (tx: Writer) => Promise<void>,
): Promise<boolean> =>
  writeAsLeader(context, async (tx) => {
    const isSame = await isThere(tx, rule)
    if (isSame) await write(tx)
    return isSame
  })

/** Whether a rule was neither removed nor added again. */
const isThere = async (tx: Writer, rule: MirrorRule): Promise<boolean> =>
  (await tx.of(mirrorRows).rules()).some((one) => isSameRule(one, rule))

/** Faults that concern one rule: its file, its size, or what the source answers. */
const isOfRule = (error: unknown): boolean =>
  error instanceof CapError ||
  error instanceof GrpcError ||
  (error instanceof Error && 'code' in error)

async function resolve(
  context: MirrorContext,
  rule: MirrorRule,
): Promise<Pick<MirrorRule, 'people' | 'error'>> {
  if (rule.kind === 'all') return readAllFids(context)
  if (rule.kind === 'name') return resolveName(context, rule)
  const fids = [...(await membersOf(context, rule))]
  const isWritten = await writeIfSame(context, rule, (tx) =>
    tx.of(mirrorRows).setMembers(rule.id, fids),
  )
  if (isWritten) await addPeople(context, fids, rule)
  return { people: fids.length, error: null }
}

/** A name may be given to somebody else: the rule is about the person who had it when it was added. */
async function resolveName(context: MirrorContext, rule: MirrorRule) {
  const fid = await context.source.fidOf(rule.value)
  if (!fid) return { people: 0, error: `the source does not know the name ${rule.value}` }
  await writeIfSame(context, rule, async (tx) => {
    await tx.of(mirrorRows).removeRule(rule.id)
    await addRule(tx, { kind: 'fid', value: String(fid) }, { now: rule.added_at })
  })
  return { people: 1, error: null }
}

/** Adds people who are read next, unless their rule was removed meanwhile. Those who were left out since, or were context, are taken up. */
export async function addPeople(
  context: MirrorContext,
  fids: readonly number[],
  rule?: MirrorRule,
): Promise<void> {
  const now = context.clock.now()
  for (let at = 0; at < fids.length; at += PORTION) {
    const some = [...new Set(fids.slice(at, at + PORTION))]
    for (const { fid, state } of await context.storage.of(mirrorRows).fids(some)) {
      if (state === 'context') await noteContextOf(context, fid)
    }
    await writeAsLeader(context, async (tx) => {
      // What the rule named was to be erased: nobody would erase who is added after that.
      if (rule && !(await isThere(tx, rule))) return
      const others = (await tx.of(mirrorRows).fids(some)).filter(
        ({ state }) => state === 'frozen' || state === 'context',
      )
      for (const { fid, state } of others) if (state === 'context') await dropContextCasts(tx, fid)
      await tx.of(mirrorRows).putFids(others.map(({ fid }) => newPerson(fid, now)))
      await tx.of(mirrorRows).insertNewFids(some.map((fid) => newPerson(fid, now)))
    })
  }
}

/** Both directions, because an answer that a fault of the store has emptied looks like the end. */
async function readAllFids(context: MirrorContext): Promise<Pick<MirrorRule, 'people' | 'error'>> {
  const { source } = context
  const { kind, shards, registered } = await source.info()
  let found = 0
  for (const { shard } of shards) {
    for (const reverse of [false, true]) {
      for await (const fids of source.fids(shard, reverse)) {
        await addPeople(context, fids)
        if (!reverse) found += fids.length
      }
    }
  }
  const isShort = kind !== 'hubble' && found < registered
  return {
    people: found,
    error: isShort ? `the source lists ${found} of ${registered} fids` : null,
  }
}
