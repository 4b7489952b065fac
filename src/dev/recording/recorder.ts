import type { Clock } from '../../kernel/base/clock.ts'
import { type SentToApp, watchSent } from '../../kernel/deliveries/sent.ts'
import { isRecorded, MAX_RECORDED, MAX_RECORDED_BYTES, type Recorded } from './session.ts'

type Kept = { readonly id: string | undefined; readonly bytes: number; readonly entry: Recorded }

/** What this network has told apps, the newest part of it. */
export class Recorder {
  #kept: Kept[] = []
  #bytes = 0
  readonly #clock: Clock
  readonly #end: () => void

  constructor(storage: unknown, clock: Clock) {
    this.#clock = clock
    this.#end = watchSent(storage, (what, id) => this.#take(what, id))
  }

  list(): Recorded[] {
    return this.#kept.map(({ entry }) => entry)
  }

  clear(): void {
    this.#kept = []
    this.#bytes = 0
  }

  /** After it, another event may have the id of one that is kept. */
  reverted(): void {
    this.#kept = this.#kept.map((one) => ({ ...one, id: undefined }))
  }

  stop(): void {
    this.#end()
  }

  #take(what: SentToApp, id: string): void {
    // Another attempt.
    if (this.#kept.some((one) => one.id === id)) return
    const entry = recorded(what, new Date(this.#clock.now()).toISOString())
    if (!isRecorded(entry)) return
    const bytes = Buffer.byteLength(JSON.stringify(entry))
    this.#kept.push({ id, bytes, entry })
    this.#bytes += bytes
    while (this.#kept.length > MAX_RECORDED || this.#bytes > MAX_RECORDED_BYTES) {
      this.#bytes -= this.#kept.shift()!.bytes
    }
  }
}

/** Parameters and names in addresses may be secrets. Undefined where no request can be made to the address. */
function recorded({ url, ...what }: SentToApp, at: string): Recorded | undefined {
  if (!URL.canParse(url)) return undefined
  const { protocol, origin, pathname: path } = new URL(url)
  if (protocol !== 'http:' && protocol !== 'https:') return undefined
  switch (what.kind) {
    case 'webhook':
      return { at, path, kind: what.kind, body: JSON.parse(what.body) }
    case 'mini-app event':
      return { at, path, ...what }
    case 'sign-in':
      return { at, path, ...what, siweUri: origin + path }
  }
}
