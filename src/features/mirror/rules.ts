import { FNAME_PATTERN } from '../../kernel/protocol/names.ts'
import { Rejection } from '../../kernel/protocol/rejection.ts'
import { MAX_FID, MAX_URL_BYTES } from '../../kernel/protocol/sizes.ts'
import type { Writer } from '../../kernel/storage/storage.ts'
import { type MirrorRule, mirrorRows } from './tables/mirror.ts'

// Who is mirrored, as people write it.

const MAX_FIDS_IN_RULE = 10_000
const MAX_RULES = 1_000
const MAX_PATH_CHARACTERS = 1_000
/** More people would be most of the network: the rule is refused unless its own cap says so. */
export const USUAL_CAP = 100_000
export const MAX_CAP = 10_000_000

export const RULE_FORMS =
  'fid:1,2,3, @name, file:PATH, followers-of:FID, following-of:FID or members-of:URL'

export type RuleText = Pick<MirrorRule, 'kind' | 'value'>

const invalid = (message: string) =>
  new Rejection('bad_request.invalid_param', message, { field: 'rule' })

const PARSERS: Readonly<Record<string, (value: string) => string>> = {
  fid: parseFids,
  file: parsePath,
  'followers-of': parseFid,
  'following-of': parseFid,
  'members-of': parseUrl,
}

/** Reads a rule. Throws a Rejection. */
export function parseRule(text: string): RuleText {
  if (text.startsWith('@')) return { kind: 'name', value: parseName(text.slice(1)) }
  const [, kind = '', value = ''] = /^([a-z-]+):(.*)$/s.exec(text) ?? []
  const parse = PARSERS[kind]
  if (!parse) throw invalid(`a rule is ${RULE_FORMS}`)
  return { kind: kind as MirrorRule['kind'], value: parse(value.trim()) }
}

export const ruleText = ({ kind, value }: RuleText): string =>
  kind === 'all' ? 'all' : kind === 'name' ? `@${value}` : `${kind}:${value}`

export function parseName(name: string): string {
  if (FNAME_PATTERN.test(name) || (name.endsWith('.eth') && name.length <= MAX_URL_BYTES))
    return name
  throw invalid(`@${name} is not a name`)
}

function parseFids(value: string): string {
  const fids = value.split(',').map((one) => parseFid(one.trim()))
  if (fids.length > MAX_FIDS_IN_RULE) {
    throw invalid(`at most ${MAX_FIDS_IN_RULE} fids in a rule: use file:PATH`)
  }
  return [...new Set(fids.map(Number))].sort((a, b) => a - b).join(',')
}

function parseFid(text: string): string {
  const isFid = /^\d+$/.test(text) && Number(text) >= 1 && Number(text) <= MAX_FID
  if (!isFid)
    throw invalid(`${text || 'nothing'} is not a fid: give what is none a rule of its own`)
  return String(Number(text))
}

function parsePath(path: string): string {
  if (!path.startsWith('/') || path.length > MAX_PATH_CHARACTERS || path.includes('\0')) {
    throw invalid('the path of a file begins with / (it is read on the machine of the server)')
  }
  return path
}

function parseUrl(url: string): string {
  const isUrl = url.length > 0 && Buffer.byteLength(url) <= MAX_URL_BYTES && !url.includes('\0')
  if (!isUrl) throw invalid(`the URL of a channel has 1 to ${MAX_URL_BYTES} bytes`)
  return url
}

/** Adds a rule; one that exists is evaluated again, with another cap if one is given. Who it names is found out by the scope. */
export async function addRule(
  tx: Writer,
  rule: RuleText,
  { now, cap = 0 }: { readonly now: number; readonly cap?: number },
): Promise<MirrorRule> {
  const rules = await tx.of(mirrorRows).rules()
  const known = rules.find(({ kind, value }) => kind === rule.kind && value === rule.value)
  if (known) {
    const added_at = Math.max(now, known.added_at + 1)
    const again = { ...known, added_at, resolved_at: 0, cap: cap || known.cap }
    await tx.of(mirrorRows).putRules([again])
    return again
  }
  if (rules.length >= MAX_RULES) {
    throw new Rejection('bad_request.conflict', `there are ${MAX_RULES} rules, which is the most`)
  }
  const id = (rules.at(-1)?.id ?? 0) + 1
  const added = { id, ...rule, added_at: now, resolved_at: 0, people: 0, error: null, cap }
  await tx.of(mirrorRows).putRules([added])
  return added
}

/** Rules of an error text. */
const MAX_TOLD = 5

/** That there is no such rule, and of a rule of people, which others name the first of them. */
export async function unknownRule(tx: Writer, rule: RuleText): Promise<Rejection> {
  const text = `there is no rule ${ruleText(rule)}`
  if (rule.kind !== 'fid') return new Rejection('not_found', text, { field: 'rule' })
  const [fid = ''] = rule.value.split(',')
  const lists = (await tx.of(mirrorRows).rules()).filter(({ kind }) => kind === 'fid')
  const listed = lists.filter(({ value }) => value.split(',').includes(fid))
  const naming = new Set(
    [...listed, ...(await tx.of(mirrorRows).rulesNaming(Number(fid)))].map(ruleText),
  )
  if (naming.size === 0) return new Rejection('not_found', text, { field: 'rule' })
  const named = [...naming].slice(0, MAX_TOLD).join(' and ')
  const advice = `fid ${fid} is named by ${named}: add the others of that rule by themselves, then remove it`
  return new Rejection('not_found', `${text}; ${advice}`, { field: 'rule' })
}

/** Whether the stored rule is still the one that was read. False when it was removed or added again since. */
export const isSameRule = (a: MirrorRule, b: MirrorRule): boolean =>
  a.id === b.id && a.kind === b.kind && a.value === b.value && a.added_at === b.added_at
