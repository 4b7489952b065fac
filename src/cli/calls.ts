import type { OperationsOperations } from '../client/generated/operations.ts'
import type { PlatformOperations } from '../client/generated/platform.ts'
import type { ClientOptions, Method } from '../client/transport.ts'
import { ask } from './client.ts'
import { Failure } from './failure.ts'
import type { CALLS } from './generated/calls.ts'

// Typed calls of the interfaces, named by method and path as the reference shows them.

type Interfaces = { operations: OperationsOperations; platform: PlatformOperations }
export type InterfaceName = keyof Interfaces
export type CallName<I extends InterfaceName> = keyof (typeof CALLS)[I] & string

type Operation<I extends InterfaceName, C> = C extends `${infer M} ${infer P}`
  ? Lowercase<M> extends infer L extends keyof Interfaces[I]
    ? P extends keyof Interfaces[I][L]
      ? Interfaces[I][L][P]
      : never
    : never
  : never
export type AnswerTo<I extends InterfaceName, C> =
  Operation<I, C> extends { output: infer O } ? O : never
export type InputTo<I extends InterfaceName, C> =
  Operation<I, C> extends { input: infer N } ? (N extends undefined ? object : N) : never

/** The calls of one interface at an address. */
export class Calls<I extends InterfaceName> {
  readonly #client: ClientOptions
  readonly #explain: (failure: Failure) => Failure

  constructor(client: ClientOptions, explain = (failure: Failure): Failure => failure) {
    this.#client = client
    this.#explain = explain
  }

  async ask<C extends CallName<I>>(call: C, input?: InputTo<I, C>): Promise<AnswerTo<I, C>> {
    const [method = '', path = ''] = call.split(' ')
    const request = { method: method.toLowerCase() as Method, path, input: input && { ...input } }
    try {
      return await ask(this.#client, request)
    } catch (error) {
      throw error instanceof Failure ? this.#explain(error) : error
    }
  }

  /** The answers of a list, page by page. */
  async *pages<C extends CallName<I>>(
    call: C,
    input?: InputTo<I, C>,
  ): AsyncGenerator<AnswerTo<I, C>> {
    for (let page: object | undefined = {}; page; ) {
      const answer = await this.ask(call, Object.assign({}, input, page))
      yield answer
      page = nextPageOf(answer as Page)
    }
  }
}

type Page = {
  readonly next?: string | { readonly cursor?: string }
  readonly nextPageToken?: string
}

/** The parameter that asks for the page after this one. */
function nextPageOf({ next, nextPageToken }: Page): object | undefined {
  if (typeof next === 'string') return { after: next }
  if (next?.cursor !== undefined) return { cursor: next.cursor }
  return nextPageToken ? { pageToken: nextPageToken } : undefined
}
