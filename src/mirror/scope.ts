import { FNAME_PATTERN } from '../protocol/names.ts'
import { Rejection } from '../protocol/rejection.ts'
import type { Writer } from '../storage/storage.ts'
import type { MirrorRule, NewMirrorFid } from '../storage/tables/mirror/mirror.ts'
import { type MirrorContext, writeAsLeader } from './context.ts'

// Who is mirrored: the people whom the rules name.

const MAX_FIDS_IN_RULE = 10_000
const MAX_RULES = 1_000
const MAX_FID = 2 ** 32 - 1

export type RuleText = Pick<MirrorRule, 'kind' | 'value'>

/** Reads a rule as people write it: `fid:1,2,3` or `@name`. Throws a Rejection. */
export function parseRule(text: string): RuleText {
  const invalid = (message: string) =>
    new Rejection('bad_request.invalid_param', message, { field: 'rule' })
  if (text.startsWith('@')) {
    const name = text.slice(1)
    if (!FNAME_PATTERN.test(name) && !name.endsWith('.eth')) throw invalid(`${text} is not a name`)
    return { kind: 'name', value: name }
  }
  if (!text.startsWith('fid:')) throw invalid('a rule is fid:1,2,3 or @name')
  const fids = text
    .slice('fid:'.length)
    .split(',')
    .map((one) => one.trim())
  if (fids.length > MAX_FIDS_IN_RULE) throw invalid(`at most ${MAX_FIDS_IN_RULE} fids in a rule`)
  for (const fid of fids) {
    const isFid = /^\d+$/.test(fid) && Number(fid) >= 1 && Number(fid) <= MAX_FID
    if (!isFid) throw invalid(`${fid || 'nothing'} is not a fid`)
  }
  return { kind: 'fid', value: [...new Set(fids.map(Number))].sort((a, b) => a - b).join(',') }
}

export const ruleText = ({ kind, value }: RuleText): string =>
  kind === 'fid' ? `fid:${value}` : kind === 'name' ? `@${value}` : 'all'

/** Adds a rule; one that exists already stays as it is. Who it names is found out by `resolve`. */
export async function addRule(tx: Writer, rule: RuleText, now: number): Promise<MirrorRule> {
  const rules = await tx.mirror.rules()
  const known = rules.find(({ kind, value }) => kind === rule.kind && value === rule.value)
  if (known) return known
  if (rules.length >= MAX_RULES) {
    throw new Rejection('bad_request.conflict', `there are ${MAX_RULES} rules, which is the most`)
  }
  const id = (rules.at(-1)?.id ?? 0) + 1
  const added = { id, ...rule, added_at: now, resolved_at: 0, people: 0, error: null, cap: 0 }
  await tx.mirror.putRules([added])
  return added
}

export const newPerson = (fid: number, now: number): NewMirrorFid => ({
  fid,
  state: 'waiting',
  due_at: now,
  read_at: 0,
  checked_at: 0,
  counts: '{}',
  failures: 0,
  left_at: 0,
  limits: '[]',
})

const PORTION = 500
const HOUR_MS = 3_600_000

/** The people whom the rules name. */
export class Scope {
  readonly #context: MirrorContext
  readonly #isAll: boolean
  #seen = ''

  constructor(context: MirrorContext, isAll: boolean) {
    this.#context = context
    this.#isAll = isAll
  }

  /**
   * Finds out whom the rules name that were never resolved, or an hour ago. New people are read next; those whom no rule
   * names any more keep their messages and get no new ones.
   */
  async resolve(): Promise<void> {
    const { storage, clock } = this.#context
    const now = clock.now()
    if (this.#isAll && this.#seen === '') {
      await writeAsLeader(this.#context, (tx) => addRule(tx, { kind: 'all', value: '' }, now))
    }
    const rules = await storage.mirror.rules()
    for (const rule of rules) {
      const isDone =
        rule.resolved_at > 0 && (rule.kind !== 'name' || rule.resolved_at > now - HOUR_MS)
      if (isDone) continue
      const { people, error } = await resolve(this.#context, rule)
      await writeAsLeader(this.#context, async (tx) => {
        const isThere = (await tx.mirror.rules()).some(({ id }) => id === rule.id)
        if (isThere) await tx.mirror.putRules([{ ...rule, resolved_at: now, people, error }])
      })
    }
    const ids = rules.map(({ id }) => id).join(',')
    if (ids !== this.#seen) await freezeOthers(this.#context)
    this.#seen = ids
  }
}

async function resolve(
  context: MirrorContext,
  rule: MirrorRule,
): Promise<Pick<MirrorRule, 'people' | 'error'>> {
  if (rule.kind === 'all') return readAllFids(context)
  if (rule.kind === 'fid') {
    const fids = rule.value.split(',').map(Number)
    await addPeople(context, fids)
    return { people: fids.length, error: null }
  }
  const fid = await context.source.fidOf(rule.value)
  if (!fid) return { people: 0, error: `the source does not know the name ${rule.value}` }
  // A name may be given to somebody else: the rule is about the person who had it when it was added.
  await addPeople(context, [fid])
  await writeAsLeader(context, async (tx) => {
    await tx.mirror.removeRule(rule.id)
    await addRule(tx, { kind: 'fid', value: String(fid) }, rule.added_at)
  })
  return { people: 1, error: null }
}

/** Adds people who are read next. Those who were left out since are taken up again. */
export async function addPeople(context: MirrorContext, fids: readonly number[]): Promise<void> {
  const now = context.clock.now()
  for (let at = 0; at < fids.length; at += PORTION) {
    const some = [...new Set(fids.slice(at, at + PORTION))]
    await writeAsLeader(context, async (tx) => {
      const frozen = (await tx.mirror.fids(some)).filter(({ state }) => state === 'frozen')
      await tx.mirror.putFids(frozen.map(({ fid }) => newPerson(fid, now)))
      await tx.mirror.insertNewFids(some.map((fid) => newPerson(fid, now)))
    })
  }
}

/** Both directions, because an answer that a fault of the store has emptied looks like the end. */
async function readAllFids(context: MirrorContext): Promise<Pick<MirrorRule, 'people' | 'error'>> {
  const { source } = context
  const { shards, registered } = await source.info()
  let found = 0
  for (const { shard } of shards) {
    for (const reverse of [false, true]) {
      for await (const fids of source.fids(shard, reverse)) {
        await addPeople(context, fids)
        if (!reverse) found += fids.length
      }
    }
  }
  const isShort = found < registered
  return {
    people: found,
    error: isShort ? `the source lists ${found} of ${registered} fids` : null,
  }
}

async function freezeOthers(context: MirrorContext): Promise<void> {
  const { storage } = context
  const rules = await storage.mirror.rules()
  if (rules.some(({ kind }) => kind === 'all')) return
  const named = new Set(
    rules.flatMap(({ kind, value }) => (kind === 'fid' ? value.split(',').map(Number) : [])),
  )
  for (let after = 0; ; ) {
    const page = await storage.mirror.fidsAfter(after, PORTION)
    if (page.length === 0) return
    const left = page.filter(({ fid, state }) => state !== 'frozen' && !named.has(fid))
    if (left.length > 0) {
      await writeAsLeader(context, (tx) =>
        tx.mirror.putFids(left.map((row) => ({ ...row, state: 'frozen' }))),
      )
    }
    after = page.at(-1)!.fid
  }
}
