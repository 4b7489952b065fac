import type { Clock } from '../../kernel/base/clock.ts'
import { type SentToApp, watchSent } from '../../kernel/deliveries/sent.ts'
import { MAX_RECORDED, MAX_RECORDED_BYTES, type Recorded } from './session.ts'

type Kept = { readonly id: string; readonly bytes: number; readonly entry: Recorded }

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

  stop(): void {
    this.#end()
  }

  #take(what: SentToApp, id: string): void {
    // Another attempt.
    if (this.#kept.some((one) => one.id === id)) return
    const entry = recorded(what, new Date(this.#clock.now()).toISOString())
    const bytes = Buffer.byteLength(JSON.stringify(entry))
    this.#kept.push({ id, bytes, entry })
    this.#bytes += bytes
    while (this.#kept.length > MAX_RECORDED || this.#bytes > MAX_RECORDED_BYTES) {
      this.#bytes -= this.#kept.shift()!.bytes
    }
  }
}

/** Parameters and names in addresses may be secrets. */
function recorded({ url, ...what }: SentToApp, at: string): Recorded {
  const { origin, pathname: path } = new URL(url)
  switch (what.kind) {
    case 'webhook':
      return { at, path, kind: what.kind, body: JSON.parse(what.body) }
    case 'mini-app event':
      return { at, path, ...what }
    case 'sign-in':
      return { at, path, ...what, siweUri: origin + path }
  }
}
