import { BytesMap } from '../base/bytes-map.ts'
import { fromHex, toHex } from '../protocol/codec/bytes.ts'
import { urlTargetKey } from '../protocol/slots.ts'
import type { Reader } from '../storage/storage.ts'
import { NOTICE_KINDS } from '../storage/views/notice-kinds.ts'
import type { ViewWriter } from '../storage/views/view-writer.ts'
import {
  firstDocAt,
  POST_KINDS,
  secondOfDoc,
  type ViewCount,
  type ViewNotice,
  type ViewPost,
  type ViewQuote,
} from '../storage/views/views.ts'
import {
  type CompactFollows,
  type Contribution,
  type CountName,
  followContribution,
  type Post,
  type Removal,
} from './contribution.ts'
import { fidOfKey } from './message-fields.ts'
import { renderProfiles } from './profile.ts'

/**
 * Contributions that are added and taken back, netted in memory and written by `flush` with one statement for each
 * table, whatever their number. The result is a function of the set of stored messages, not of their order.
 */
export class Fold {
  readonly #views: ViewWriter
  readonly #store: Pick<Reader, 'accounts' | 'messages'>
  readonly #added = new Map<number, Contribution>()
  readonly #removed = new Map<number, Removal>()
  /** By the hash of the cast in hex. */
  readonly #shown = new Map<string, Contribution>()
  readonly #profiles = new Set<number>()

  constructor(views: ViewWriter, store: Pick<Reader, 'accounts' | 'messages'>) {
    this.#views = views
    this.#store = store
  }

  add(contribution: Contribution): void {
    this.#added.set(contribution.id, contribution)
  }

  /** Takes back what was added, now or in an earlier flush. */
  remove(removal: Removal): void {
    if (!this.#added.delete(removal.id)) this.#removed.set(removal.id, removal)
  }

  /**
   * Has the notices of a cast stand at the time at which it is shown for the first time: `contribution` has that time. A build of
   * the views, which reads messages alone, gives them that of the cast again.
   */
  show(hash: Uint8Array, contribution: Contribution): void {
    this.#shown.set(toHex(hash), contribution)
  }

  /** Has the profile of a fid rendered from the present store. */
  render(fid: number): void {
    this.#profiles.add(fid)
  }

  /**
   * Ends the follows that a compact state, reported by the event with this id, does not list: the same rule as
   * the hub's on the same links. Returns them. What was added before is written first.
   */
  async compact({ fid, at, targets }: CompactFollows, id: number): Promise<Removal[]> {
    await this.flush()
    const follows = await this.#views.followsBefore(fid, at, id)
    const ended = follows
      .filter(({ target }) => !targets.has(target))
      .map((follow) => ({ ...followContribution(follow), isEmptied: false }))
    for (const one of ended) this.remove(one)
    return ended
  }

  async flush(): Promise<void> {
    const added = [...this.#added.values()]
    const removed = [...this.#removed.values()]
    this.#added.clear()
    this.#removed.clear()
    const shown = await this.#takeShown(removed)
    const counts: Count[] = []
    const countOf = new BytesMap<Count>()
    const count = (key: Uint8Array, name: CountName, change: number) => {
      let row = countOf.get(key)
      if (!row) {
        row = { key, likes: 0, recasts: 0, replies: 0, quotes: 0 }
        countOf.set(key, row)
        counts.push(row)
      }
      row[name] += change
    }
    for (const one of removed) for (const { key, name } of one.counts) count(key, name, -1)
    for (const one of added) for (const { key, name } of one.counts) count(key, name, 1)

    const lostQuotes = await this.#removePosts(removed.filter(hasPost))
    for (const { key } of lostQuotes) count(key, 'quotes', -1)
    await this.#removeNotices(removed, lostQuotes)
    await this.#views.removeNoticesOf([...shown.keys()])
    // Different tables: on PostgreSQL their statements share round trips. Rows are written in the order of their
    // keys, so that each page of a large table is read and changed once.
    await Promise.all([
      this.#addPosts(added.filter(hasPost)),
      this.#views.insertNotices(
        [...added.filter(({ id }) => !shown.has(id)), ...shown.values()]
          .flatMap(noticesOf)
          .sort(byPersonAndTime),
      ),
      this.#views.addCounts(counts.filter(isChange).sort(byKey)),
      this.#changeFollows(added, removed),
    ])
    await this.#renderProfiles()
  }

  /** What is shown for the first time and stored, by the id of its message. */
  async #takeShown(removed: readonly Removal[]): Promise<Map<number, Contribution>> {
    if (this.#shown.size === 0) return new Map()
    const wanted = new Map(this.#shown)
    this.#shown.clear()
    const hashes = [...wanted.keys()].map((hash) => fromHex(hash)!)
    const stored = await this.#store.messages.castsByHashes(hashes)
    const isRemoved = new Set(removed.map(({ id }) => id))
    return new Map(
      stored
        .filter(({ id }) => !isRemoved.has(id))
        .map(({ id, hash }) => [id, { ...wanted.get(toHex(hash))!, id }]),
    )
  }

  /** Removes posts. Returns the quotes that were found only in the views, with the post's message id. */
  async #removePosts(
    removed: readonly (Removal & WithPost)[],
  ): Promise<(ViewQuote & { id: number })[]> {
    if (removed.length === 0) return []
    const casts = removed.filter(({ post }) => post.key !== null)
    const recasts = removed.filter(({ post }) => post.key === null)
    const [castRows, recastRows] = await Promise.all([
      this.#views.postsByKeys(casts.map(({ post }) => post.key!)),
      this.#views.recasts(recasts.map(({ fid, at, id }) => ({ fid, first: firstDocAt(at), id }))),
    ])
    const docs = new Map([...castRows, ...recastRows].map(({ id, doc }) => [id, doc]))
    const docOf = ({ id }: Contribution) => {
      const doc = docs.get(id)
      if (doc === undefined) throw new Error(`the views have no post of message ${id}`)
      return doc
    }
    const emptied = new Map(casts.filter((one) => one.isEmptied).map((one) => [docOf(one), one]))
    const lost = await this.#views.quotesOf([...emptied.keys()])
    await this.#views.removeQuotes([
      ...casts.flatMap((one) => quotesOf(one).map((key) => ({ key, doc: docOf(one) }))),
      ...lost,
    ])
    await this.#views.removePosts(removed.map(docOf))
    await this.#views.removeWords(casts.map(docOf))
    const keys = await this.#views.replied(casts.map(({ post }) => post.key!))
    await this.#views.splitThreads(keys.map(({ key }) => key))
    return lost.map((quote) => ({ ...quote, id: emptied.get(quote.doc)!.id }))
  }

  async #removeNotices(
    removed: readonly Contribution[],
    lostQuotes: readonly { key: Uint8Array; id: number }[],
  ): Promise<void> {
    const quotedBy = new Map<number, number[]>()
    for (const { key, id } of lostQuotes) {
      quotedBy.set(id, [...(quotedBy.get(id) ?? []), fidOfKey(key)])
    }
    // By the message alone: what was shown later has another time.
    const ids = removed.flatMap((one) => {
      const quoted = quotedBy.get(one.id) ?? []
      const fids = new Set([...one.notices.map(({ fid }) => fid), ...quoted])
      fids.delete(one.fid)
      return fids.size > 0 ? one.id : []
    })
    await this.#views.removeNoticesOf(ids)
  }

  async #addPosts(added: readonly WithPost[]): Promise<void> {
    if (added.length === 0) return
    const casts = added.filter(({ post }) => post.key !== null)
    const [docs, places, parents, late] = await Promise.all([
      this.#newDocs(added),
      this.#placesOf(added),
      this.#parentsOf(casts),
      this.#views.replied(casts.map(({ post }) => post.key!)),
    ])
    const docOf = ({ id }: Contribution) => docs.get(id)!
    const threads = threadsOf(casts, docOf, places, parents)
    await Promise.all([
      this.#views.insertPosts(
        added
          .map((one) => ({
            doc: docOf(one),
            id: one.id,
            fid: one.fid,
            kind: one.post.kind,
            key: one.post.key,
            target: one.post.target,
            ...(threads.get(one.id) ?? { root: null, place: null }),
          }))
          .sort(byDoc),
      ),
      this.#views.insertQuotes(
        casts.flatMap((one) => quotesOf(one).map((key) => ({ key, doc: docOf(one) }))),
      ),
      this.#views.insertWords(
        casts.map((one) => ({ doc: docOf(one), words: one.post.words ?? '' })),
      ),
    ])
    // Their replies came first. One after the other: a thread may lie below another one of them.
    await this.#views.joinThreads(late.map(({ key }) => key))
  }

  /** The next free docs of the seconds of these posts, by message id. */
  async #newDocs(added: readonly WithPost[]): Promise<Map<number, number>> {
    const next = new Map<number, number>()
    const readSeconds = async (seconds: readonly number[]) => {
      const ranges = seconds.map((second) => ({
        first: firstDocAt(second),
        next: firstDocAt(second + 1),
      }))
      for (const { first, doc } of await this.#views.newestDocs(ranges)) {
        next.set(secondOfDoc(first), (doc ?? first) + 1)
      }
    }
    await readSeconds([...new Set(added.map(({ at }) => at))])
    const docs = new Map<number, number>()
    for (const { id, at } of added) {
      let second = at
      while (secondOfDoc(next.get(second)!) !== second) {
        // All docs of the second are taken: the first free one above.
        second++
        if (!next.has(second)) await readSeconds([second])
      }
      const doc = next.get(second)!
      docs.set(id, doc)
      next.set(second, doc + 1)
    }
    return docs
  }

  /** The ids of the places of these casts, by url. */
  async #placesOf(added: readonly WithPost[]): Promise<Map<string, number>> {
    const urls = new Map<string, { url: string; target: Uint8Array }>()
    for (const { post } of added) {
      if (post.url === undefined) continue
      const target = urlTargetKey(post.url)
      urls.set(textOf(target), { url: post.url, target })
    }
    if (urls.size === 0) return new Map()
    const found = await this.#views.places([...urls.values()].map(({ target }) => target))
    const known = new Set(found.map(({ target }) => textOf(target)))
    const missing = [...urls].filter(([text]) => !known.has(text)).map(([, place]) => place)
    if (missing.length > 0) {
      const newest = await this.#views.newestPlace()
      const places = missing.map((place, i) => ({ id: newest + 1 + i, ...place }))
      await this.#views.insertPlaces(places)
      found.push(...places)
    }
    return new Map(found.map(({ url, id }) => [url, id]))
  }

  /** The stored casts that these reply to, unless they are among them. */
  #parentsOf(casts: readonly WithPost[]): Promise<ViewPost[]> {
    const known = new BytesMap<true>()
    for (const { post } of casts) known.set(post.key!, true)
    const elsewhere: Uint8Array[] = []
    for (const { target, kind } of casts.map(({ post }) => post)) {
      if (kind !== POST_KINDS.reply || known.get(target!)) continue
      known.set(target!, true)
      elsewhere.push(target!)
    }
    return this.#views.postsByKeys(elsewhere)
  }

  async #changeFollows(
    added: readonly Contribution[],
    removed: readonly Contribution[],
  ): Promise<void> {
    const users = new Map<number, { fid: number; followers: number; following: number }>()
    const user = (fid: number) => {
      const row = users.get(fid) ?? { fid, followers: 0, following: 0 }
      users.set(fid, row)
      return row
    }
    const rowsOf = (list: readonly Contribution[], change: number) =>
      list.flatMap(({ id, fid, at, follows }) => {
        if (follows === undefined) return []
        user(fid).following += change
        user(follows).followers += change
        return [{ fid, target: follows, at, id }]
      })
    await this.#views.removeFollows(rowsOf(removed, -1))
    const follows = rowsOf(added, 1).sort((a, b) => a.fid - b.fid || a.target - b.target)
    await this.#views.insertFollows(follows)
    const changed = [...users.values()].filter((one) => one.followers !== 0 || one.following !== 0)
    await this.#views.addUserCounts(changed.sort((a, b) => a.fid - b.fid))
  }

  async #renderProfiles(): Promise<void> {
    const fids = [...this.#profiles]
    this.#profiles.clear()
    for (let at = 0; at < fids.length; at += PROFILES_AT_A_TIME) {
      const some = fids.slice(at, at + PROFILES_AT_A_TIME)
      await this.#views.putProfiles(await renderProfiles(this.#store, some))
    }
  }
}

type Count = { -readonly [K in keyof ViewCount]: ViewCount[K] }
type WithPost = Contribution & { readonly post: Post }
type Thread = Pick<ViewPost, 'root' | 'place'>

const PROFILES_AT_A_TIME = 500

const hasPost = <C extends Contribution>(one: C): one is C & WithPost => one.post !== undefined

const quotesOf = ({ counts }: Contribution) =>
  counts.filter(({ name }) => name === 'quotes').map(({ key }) => key)

const noticesOf = ({ id, fid, at, notices, post, counts }: Contribution) => {
  // Of a cast the cast itself, of a reaction its target.
  const key = post?.key ?? counts[0]?.key ?? null
  return notices.map(({ fid: notified, kind }) => {
    return { fid: notified, at, id, kind: NOTICE_KINDS[kind].number, actor: fid, key }
  })
}

const byPersonAndTime = (a: ViewNotice, b: ViewNotice) =>
  a.fid - b.fid || a.at - b.at || a.id - b.id

const byDoc = (a: { readonly doc: number }, b: { readonly doc: number }) => a.doc - b.doc

/** In the order of the bytes. Not with Buffer.compare: see equalBytes. */
function byKey({ key: a }: Count, { key: b }: Count): number {
  let at = 0
  while (at < a.length && a[at] === b[at]) at++
  return (a[at] ?? -1) - (b[at] ?? -1)
}

const isChange = ({ likes, recasts, replies, quotes }: ViewCount) =>
  likes !== 0 || recasts !== 0 || replies !== 0 || quotes !== 0

/** Copies, because a view would give the key its own memory outside of V8's heap, which takes twice as long. */
const textOf = (key: Uint8Array) => Buffer.from(key).toString('latin1')

/** Root and place of these casts, by message id. `parents` are the stored casts that they reply to. */
function threadsOf(
  casts: readonly WithPost[],
  docOf: (one: Contribution) => number,
  places: ReadonlyMap<string, number>,
  parents: readonly ViewPost[],
): Map<number, Thread> {
  const byKey = new BytesMap<WithPost>()
  for (const one of casts) byKey.set(one.post.key!, one)
  const threads = new BytesMap<Thread>()
  for (const { key, root, place } of parents) threads.set(key!, { root, place })
  for (const cast of casts) {
    // Up to a cast whose thread is known, then down again: threads may be thousands of replies deep.
    const path = [cast]
    for (let up = parentOf(cast); up; up = parentOf(up)) {
      if (threads.get(up.post.key!)) break
      path.push(up)
    }
    for (const one of path.toReversed()) {
      const { key, target, url } = one.post
      const known = one.post.kind === POST_KINDS.reply ? threads.get(target!) : undefined
      const place = url === undefined ? null : places.get(url)!
      threads.set(key!, known ?? { root: docOf(one), place })
    }
  }
  return new Map(casts.map(({ id, post }) => [id, threads.get(post.key!)!]))

  function parentOf({ post }: WithPost): WithPost | undefined {
    return post.kind === POST_KINDS.reply ? byKey.get(post.target!) : undefined
  }
}
