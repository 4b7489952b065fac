import type { RecordedItem } from './fork-file.ts'
import { isObject } from './json.ts'
import { ForkSource, type Query, type Read, type SourceJson } from './source.ts'

/** A source that is a file: it answers as the hub of the recorded fork would, without a network. */
export class RecordedSource extends ForkSource {
  readonly #fids = new Set<number>()
  readonly #found = new Map<string, SourceJson[]>()

  constructor(items: readonly RecordedItem[]) {
    super()
    for (const { fid, list, item } of items) {
      this.#fids.add(fid)
      this.#put(`${list} ${fid}`, item)
      if (list === 'names') this.#put(`name ${item.name}`, item)
      if (list !== 'casts') continue
      this.#put(`cast ${item.hash}`, item)
      const parent = parentOf(item)
      if (parent !== undefined) this.#put(`replies ${parent}`, item)
    }
  }

  override async get(read: Read, query: Query = {}): Promise<SourceJson | undefined> {
    const found = (key: unknown) => this.#found.get(`${read} ${key}`) ?? []
    switch (read) {
      case 'fids':
        return { fids: [...this.#fids].slice(0, Number(query.pageSize)) }
      case 'name':
        return found(query.name)[0]
      case 'cast':
        return found(query.hash)[0]
      case 'replies':
        return { messages: found(query.hash) }
      case 'chainEvents':
        return { events: found(query.fid).filter(({ type }) => type === query.event_type) }
      case 'names':
        return { proofs: found(query.fid) }
      default:
        return { messages: found(query.fid).toReversed() }
    }
  }

  override authorOf(hash: string): number | undefined {
    const [cast] = this.#found.get(`cast ${hash}`) ?? []
    const fid = isObject(cast?.data) ? cast.data.fid : undefined
    return typeof fid === 'number' ? fid : undefined
  }

  #put(key: string, item: SourceJson): void {
    const list = this.#found.get(key)
    if (list) list.push(item)
    else this.#found.set(key, [item])
  }
}

function parentOf({ data }: SourceJson): unknown {
  const body = isObject(data) ? data.castAddBody : undefined
  const parent = isObject(body) ? body.parentCastId : undefined
  return isObject(parent) ? parent.hash : undefined
}
