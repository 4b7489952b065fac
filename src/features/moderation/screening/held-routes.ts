import { setImmediate as nextTurn } from 'node:timers/promises'
import Type from 'typebox'
import { described, textParam, wordParam } from '../../../kernel/http/input/params.ts'
import { json, route } from '../../../kernel/http/route.ts'
import { toHex } from '../../../kernel/protocol/codec/bytes.ts'
import { Rejection } from '../../../kernel/protocol/rejection.ts'
import { MessageType } from '../../../kernel/protocol/wire/message_pb.js'
import type { Writer } from '../../../kernel/storage/storage.ts'
import { pollIdsIn, pollTexts } from '../../polls/port.ts'
import { bodyIn, contentIn } from '../cast-text.ts'
import {
  actorFields,
  DONE,
  Done,
  decisionOf,
  MAX_REASON_CHARACTERS,
  type OperatorContext,
  TAGS,
} from '../decisions.ts'
import { type HeldTerm, heldRows, MAX_TERMS, TERM_KINDS } from '../tables/held.ts'
import { staffRows } from '../tables/staff.ts'
import { domainOf, MAX_TERM_WORDS, termInCast, termMatcher, wordsOf } from './held-terms.ts'

// The list of words and domains for which casts wait for a moderator.

const MAX_TERM_CHARACTERS = 260
/** Of characters in UTF-8. */
const MAX_TERM_BYTES = 4 * MAX_TERM_CHARACTERS

const TermFields = {
  kind: Type.Enum([...TERM_KINDS]),
  term: Type.String({
    minLength: 1,
    maxLength: MAX_TERM_CHARACTERS,
    description: `One to ${MAX_TERM_WORDS} words that stand after each other, compared as searches do; or a domain, for which those below it count, too.`,
  }),
}
const TermSchema = Type.Object(
  {
    kind: TermFields.kind,
    term: Type.String(),
    addedBy: Type.String(),
    addedAt: Type.Integer({ description: 'Unix seconds.' }),
  },
  { $id: 'HeldTerm' },
)
const termJson = ({ kind, term, added_by, added_at }: HeldTerm) => ({
  ...{ kind, term },
  addedBy: added_by,
  addedAt: added_at,
})

const changeFields = {
  ...TermFields,
  reason: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: MAX_REASON_CHARACTERS,
      description: 'Why, for the log of moderation. `edited` unless given.',
    }),
  ),
  ...actorFields,
}
type Change = Given & { readonly reason?: string; readonly actor?: string }

/** As the log names it. */
const nameOf = ({ kind, term }: Given) => `${kind} “${term}”`
const changeOf = ({ reason = 'edited', actor }: Change) =>
  decisionOf({ reason, ...(actor && { actor }) })

type Given = { readonly kind: HeldTerm['kind']; readonly term: string }

/** As it is kept and compared. Throws a Rejection for what is none. */
function termOf({ kind, term: given }: Given): Pick<HeldTerm, 'kind' | 'term'> {
  if (kind === 'domain') {
    const term = domainOf(given)
    if (!term) throw refused('must be a domain, such as spam.example')
    return { kind, term }
  }
  const words = wordsOf(given)
  if (words.length === 0) throw refused('must have letters, digits or emojis')
  if (words.length > MAX_TERM_WORDS) throw refused(`has more than ${MAX_TERM_WORDS} words`)
  return { kind, term: words.join(' ') }
}

const refused = (text: string) =>
  new Rejection('bad_request.validation_failure', `term ${text}`, { field: 'term' })

const listTerms = route('GET /moderation/held-terms', {
  callers: 'operator',
  summary: 'Words and domains for which casts wait for a moderator',
  description: `At most ${MAX_TERMS}.`,
  tags: TAGS,
  reply: Type.Object({ terms: Type.Array(TermSchema) }),
  errors: [],
  cost: { cpu: 'small', rows: MAX_TERMS },
  handler: async ({ storage }: OperatorContext) => ({
    terms: (await storage.of(heldRows).terms()).map(termJson),
  }),
})

const addTerm = route('POST /moderation/held-terms', {
  callers: 'operator',
  summary: 'Hold casts with a word or a domain for review',
  description:
    'New casts that are sent to this server and have it are hidden until a moderator has decided about them. Those that are stored stay as they are.',
  tags: TAGS,
  body: json(Type.Object(changeFields)),
  reply: TermSchema,
  errors: ['bad_request.validation_failure', 'bad_request.conflict'],
  cost: 'write',
  handler: ({ moderation, now }: OperatorContext, { body }) => {
    const key = termOf(body)
    const decision = changeOf(body)
    const add = async (tx: Writer) => {
      const held = tx.of(heldRows)
      const known = await held.term(key)
      if (known) return { result: termJson(known), isChanged: false }
      if ((await held.termCount()) >= MAX_TERMS) {
        const text = `the list has ${MAX_TERMS} words and domains; remove one first`
        throw new Rejection('bad_request.conflict', text, { field: 'term' })
      }
      const term = { ...key, added_by: decision.actor, added_at: now() }
      await held.addTerm(term)
      return { result: termJson(term), isChanged: true }
    }
    const about = { name: nameOf(key) }
    return moderation.recorded('list-term', about, decision, add, ['all/reports'])
  },
})

const removeTerm = route('DELETE /moderation/held-terms', {
  callers: 'operator',
  summary: 'Hold casts with a word or a domain no longer',
  description: 'Casts that wait already go on waiting. It changes nothing when it is not listed.',
  tags: TAGS,
  body: json(Type.Object(changeFields)),
  reply: Done,
  errors: ['bad_request.validation_failure'],
  cost: 'write',
  handler: ({ moderation }: OperatorContext, { body }) => {
    const key = termOf(body)
    const { kind, term } = body
    const remove = async (tx: Writer) => {
      const held = tx.of(heldRows)
      // Also as it is listed: earlier versions kept some domains in another form.
      const isChanged = (await held.removeTerm(key)) + (await held.removeTerm({ kind, term })) > 0
      return { result: DONE, isChanged }
    }
    const about = { name: nameOf(key) }
    return moderation.recorded('unlist-term', about, changeOf(body), remove, ['all/reports'])
  },
})

/** Messages that a preview looks at: casts are among them. */
const MAX_LOOKED_AT = 2_000
const MAX_EXAMPLES = 3
/** Of them in one go: words and addresses of a post are found in a fifth of a millisecond. */
const BATCH = 25

const preview = route('GET /moderation/held-terms/preview', {
  callers: 'operator',
  summary: 'What a word or a domain would have held',
  description: `Of the casts among the newest ${MAX_LOOKED_AT} messages, with up to ${MAX_EXAMPLES} of them; those of accounts with a role never are. Nothing is held or listed by it.`,
  tags: TAGS,
  query: {
    kind: described(wordParam(TERM_KINDS), 'As it would be listed.'),
    term: described(textParam({ maxBytes: MAX_TERM_BYTES }), 'As it would be listed.'),
  },
  reply: Type.Object(
    {
      kind: TermFields.kind,
      term: Type.String(),
      casts: Type.Integer({ description: 'Casts that were looked at.' }),
      found: Type.Integer({ description: 'Those of them that would have been held.' }),
      ownAddress: Type.Boolean({
        description: 'It is in the address of this server: what links to it would be held.',
      }),
      examples: Type.Array(
        Type.Object({ fid: Type.Integer(), hash: Type.String(), text: Type.String() }),
        { description: 'The newest of those that would have been held.' },
      ),
    },
    { $id: 'HeldTermPreview' },
  ),
  errors: ['bad_request.validation_failure'],
  cost: { cpu: 'large', decoded: MAX_LOOKED_AT },
  handler: async ({ storage, publicUrl, polls }: OperatorContext, { query }) => {
    const key = termOf(query)
    const matcher = termMatcher([key])
    const newest = await storage.messages.newest(MAX_LOOKED_AT)
    const staff = new Set((await storage.of(staffRows).list()).map(({ fid }) => fid))
    const found: { fid: number; hash: string; text: string }[] = []
    let looked = 0
    for (let start = 0; start < newest.length; start += BATCH) {
      const casts = newest.slice(start, start + BATCH).flatMap((row) => {
        const body = row.type === MessageType.CAST_ADD ? bodyIn(row.data) : undefined
        return body ? [{ fid: row.fid, hash: row.hash, ...contentIn(body) }] : []
      })
      const ids = polls ? casts.flatMap(({ urls }) => pollIdsIn(urls)) : []
      const texts = ids.length > 0 ? await pollTexts(storage, ids) : undefined
      for (const cast of casts) {
        if (staff.has(cast.fid) || termInCast(cast, matcher, texts) === undefined) continue
        found.push({ fid: cast.fid, hash: toHex(cast.hash), text: cast.text })
      }
      looked += casts.length
      await nextTurn()
    }
    return {
      ...key,
      casts: looked,
      found: found.length,
      ownAddress: publicUrl !== undefined && matcher.find(publicUrl, [publicUrl]) !== undefined,
      examples: found.slice(0, MAX_EXAMPLES),
    }
  },
})

export const heldRoutes = [listTerms, preview, addTerm, removeTerm]
