// The views computed slowly and obviously from the stored messages, and the views as they are, in one form.

import { toHex } from '../src/kernel/protocol/codec/bytes.ts'
import type { SignedMessage } from '../src/kernel/protocol/message.ts'
import { MessageType, ReactionType } from '../src/kernel/protocol/wire/message_pb.js'
import type { Engine } from '../src/kernel/storage/engines/engine.ts'
import { fromStored } from '../src/kernel/storage/messages/message-rows.ts'
import type { Storage } from '../src/kernel/storage/storage.ts'
import { renderProfiles } from '../src/kernel/views/profile.ts'
import { authorToken, carriedToken, searchedPartOf, tokensOf } from '../src/kernel/views/words.ts'

/** Sorted lines of text for each table, so that a difference is easy to read. */
export type Views = Readonly<Record<string, readonly string[]>>

type Stored = { id: number; message: SignedMessage }
type Cast = {
  id: number
  fid: number
  at: number
  key: string
  parent: string | undefined
  url: string | undefined
  quotes: string[]
  mentions: number[]
  text: string
  urls: string[]
}

const keyOf = (fid: number | bigint, hash: Uint8Array) => `${Number(fid)}/${toHex(hash)}`
const fidOf = (key: string) => Number(key.split('/')[0])

/** What the views must hold, from nothing but the stored messages. */
export async function modelOf(storage: Pick<Storage, 'messages' | 'accounts'>): Promise<Views> {
  const stored: Stored[] = []
  for (let after = 0; ; ) {
    const rows = await storage.messages.scan(after, 1_000)
    if (rows.length === 0) break
    stored.push(...rows.map((row) => ({ id: row.id, message: fromStored(row) })))
    after = rows.at(-1)!.id
  }
  const casts = stored.flatMap(castOf)
  const byKey = new Map(casts.map((cast) => [cast.key, cast]))
  const rootOf = (cast: Cast): Cast => {
    const parent = cast.parent === undefined ? undefined : byKey.get(cast.parent)
    return parent ? rootOf(parent) : cast
  }
  const posts: { at: number; id: number; line: string }[] = []
  const counts = new Map<string, Record<string, number>>()
  const count = (key: string, name: string) => {
    const row = counts.get(key) ?? { likes: 0, recasts: 0, replies: 0, quotes: 0 }
    row[name] = row[name]! + 1
    counts.set(key, row)
  }
  const quotes: string[] = []
  const words: string[] = []
  const notices: string[] = []
  const follows: string[] = []
  const users = new Map<number, { followers: number; following: number; texts: string }>()
  const user = (fid: number) => {
    const row = users.get(fid) ?? { followers: 0, following: 0, texts: 'null null null' }
    users.set(fid, row)
    return row
  }
  type Cause = { at: number; id: number; actor: number; key: string | null }
  const notify = (fid: number, kind: number, { at, id, actor, key }: Cause) => {
    if (fid !== actor) notices.push(`${fid} ${at} ${id} ${kind} ${actor} ${key}`)
  }

  for (const cast of casts) {
    const { id, fid, at, key, parent } = cast
    const root = rootOf(cast)
    const kind = parent === undefined ? 1 : 2
    posts.push({
      at,
      id,
      line: `${id} ${fid} ${kind} ${key} ${parent ?? null} root ${root.id} place ${root.url ?? null}`,
    })
    if (parent !== undefined) count(parent, 'replies')
    for (const quoted of cast.quotes) {
      count(quoted, 'quotes')
      quotes.push(`${quoted} by ${id}`)
    }
    const told = new Set<number>()
    const people: [number, number][] = [
      ...(parent === undefined ? [] : [[fidOf(parent), 1] as [number, number]]),
      ...cast.quotes.map((quoted) => [fidOf(quoted), 2] as [number, number]),
      ...cast.mentions.map((mentioned) => [mentioned, 3] as [number, number]),
    ]
    for (const [who, what] of people) {
      if (!told.has(who)) notify(who, what, { at, id, actor: fid, key })
      told.add(who)
    }
    const tokens = [authorToken(fid), ...tokensOf(cast.text, ...cast.urls.map(searchedPartOf))]
    // The addresses in these histories end like none of a picture or a video (.png, .mp4), so each counts as a link.
    if (cast.urls.length > 0) tokens.push(carriedToken('links'))
    words.push(`${id} ${tokens.sort().join(' ')}`)
  }
  for (const { id, message } of stored) {
    const { data, fid } = message
    const { body, timestamp: at } = data
    if (data.type === MessageType.REACTION_ADD && body.case === 'reactionBody') {
      if (body.value.target.case !== 'targetCastId') continue
      const { target } = body.value
      const key = keyOf(target.value.fid, target.value.hash)
      const isLike = body.value.type === ReactionType.LIKE
      count(key, isLike ? 'likes' : 'recasts')
      notify(fidOf(key), isLike ? 4 : 5, { at, id, actor: fid, key })
      if (!isLike) {
        posts.push({ at, id, line: `${id} ${fid} 3 null ${key} root null place null` })
      }
    }
    if (data.type === MessageType.LINK_ADD && body.case === 'linkBody') {
      if (body.value.type !== 'follow') continue
      const target = Number(body.value.target.value)
      follows.push(`${fid} ${target} ${at} ${id}`)
      user(fid).following++
      user(target).followers++
      notify(target, 6, { at, id, actor: fid, key: null })
    }
  }
  const userWords: string[] = []
  const fids = await storage.accounts.fidsAfter(0, 100_000)
  for (const profile of await renderProfiles(storage, fids)) {
    const { fid, name, card, profile: rest } = profile
    user(fid).texts = `${name} ${card} ${rest}`
    if (profile.words.length > 0) userWords.push(`${fid} ${[...profile.words].sort().join(' ')}`)
  }
  posts.sort((a, b) => a.at - b.at || a.id - b.id)
  return {
    posts: posts.map(({ line }) => line),
    counts: [...counts].map(([key, row]) => `${key} ${Object.values(row).join(' ')}`).sort(),
    quotes: quotes.sort(),
    follows: follows.sort(),
    users: [...users]
      .map(([fid, row]) => `${fid} ${row.followers} ${row.following} ${row.texts}`)
      .sort(),
    notices: notices.sort(),
    words: words.sort(),
    userWords: userWords.sort(),
  }
}

function castOf({ id, message }: Stored): Cast[] {
  const { data, fid, hash } = message
  const { body } = data
  if (data.type !== MessageType.CAST_ADD || body.case !== 'castAddBody') return []
  const { parent, embeds, embedsDeprecated, mentions, text } = body.value
  const quotes = new Set<string>()
  const urls = [...embedsDeprecated]
  for (const { embed } of embeds) {
    if (embed.case === 'castId') quotes.add(keyOf(embed.value.fid, embed.value.hash))
    if (embed.case === 'url') urls.push(embed.value)
  }
  return [
    {
      id,
      fid,
      at: data.timestamp,
      key: keyOf(fid, hash),
      parent:
        parent.case === 'parentCastId' ? keyOf(parent.value.fid, parent.value.hash) : undefined,
      url: parent.case === 'parentUrl' ? parent.value : undefined,
      quotes: [...quotes],
      mentions: mentions.map(Number),
      text,
      urls,
    },
  ]
}

const keyText = (key: unknown) => {
  if (key === null) return null
  const bytes = Buffer.from(key as Uint8Array)
  return `${bytes.readUInt32BE(0)}/${toHex(bytes.subarray(4))}`
}

/** The views as they are, in the same form. */
export async function viewsIn(engine: Pick<Engine, 'all' | 'dialect'>): Promise<Views> {
  const all = (text: string) => engine.all(text)
  const posts = await all('select * from view_post order by doc')
  const idOf = new Map(posts.map(({ doc, id }) => [doc, id]))
  const places = new Map(
    (await all('select id, url from view_place')).map((row) => [row.id, row.url]),
  )
  const place = (id: unknown) => (id === null ? null : places.get(id as number))
  const words = new Map<number, string[]>()
  const userWords = new Map<number, string[]>()
  for (const [name, key, into] of [
    ['view_words', 'doc', words],
    ['view_user_words', 'fid', userWords],
  ] as const) {
    if (engine.dialect.engine === 'sqlite') {
      await all(
        `create virtual table temp.${name}_vocabulary using fts5vocab(main, ${name}, 'instance')`,
      )
      for (const row of await all(`select term, doc from ${name}_vocabulary order by doc, term`)) {
        const doc = row.doc as number
        into.set(doc, [...(into.get(doc) ?? []), row.term as string])
      }
      await all(`drop table temp.${name}_vocabulary`)
    } else {
      const text = `select ${key} as doc, array_to_string(tsvector_to_array(words), ' ') as terms from ${name}`
      for (const row of await all(text)) {
        into.set(row.doc as number, (row.terms as string).split(' '))
      }
    }
  }
  const lines = async (text: string, line: (row: Record<string, unknown>) => string) =>
    (await all(text)).map(line).sort()
  return {
    posts: posts.map(
      (row) =>
        `${row.id} ${row.fid} ${row.kind} ${keyText(row.key)} ${keyText(row.target)} ` +
        `root ${row.root === null ? null : idOf.get(row.root)} place ${place(row.place)}`,
    ),
    counts: await lines(
      'select * from view_count',
      (row) => `${keyText(row.key)} ${row.likes} ${row.recasts} ${row.replies} ${row.quotes}`,
    ),
    quotes: await lines(
      'select * from view_quote',
      (row) => `${keyText(row.key)} by ${idOf.get(row.doc as number)}`,
    ),
    follows: await lines(
      'select * from view_follow',
      (row) => `${row.fid} ${row.target} ${row.at} ${row.id}`,
    ),
    users: await lines(
      'select * from view_user',
      (row) =>
        `${row.fid} ${row.followers} ${row.following} ${row.name} ${row.card} ${row.profile}`,
    ),
    notices: await lines(
      'select * from view_notice',
      (row) => `${row.fid} ${row.at} ${row.id} ${row.kind} ${row.actor} ${keyText(row.key)}`,
    ),
    words: [...words].map(([doc, terms]) => `${idOf.get(doc)} ${terms.sort().join(' ')}`).sort(),
    userWords: [...userWords].map(([fid, terms]) => `${fid} ${terms.sort().join(' ')}`).sort(),
  }
}
