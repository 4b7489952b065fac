/** A map whose keys are byte strings, compared by content. */
export class BytesMap<V> {
  readonly #values = new Map<string, V | undefined>()

  get(key: Uint8Array): V | undefined {
    return this.#values.get(latin1(key))
  }

  set(key: Uint8Array, value: V | undefined): void {
    this.#values.set(latin1(key), value)
  }
}

const latin1 = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
