import { checkClientOptions } from './checks.ts'
import { RookeryError } from './error.ts'
import {
  type CallOptions,
  type ClientOptions,
  type Input,
  type Method,
  type Request,
  send,
} from './transport.ts'

/** What one operation takes and answers. */
export type Operation = { readonly input: unknown; readonly output: unknown }
/** The operations of an interface: by method, or `stream`, and by path. */
export type Operations = Readonly<Record<Method | 'stream', object>>

/** One argument for the input, which may be left out when none of its fields is required. */
type Arguments<I> = [I] extends [undefined]
  ? [input?: undefined, options?: CallOptions]
  : Partial<I> extends I
    ? [input?: I, options?: CallOptions]
    : [input: I, options?: CallOptions]

type InputOf<O> = O extends { readonly input: infer I } ? I : never
type OutputOf<O> = O extends { readonly output: infer R } ? R : never

/** A call of any operation of one method, by the path that the reference of the interface shows. */
export type Call<O> = <P extends keyof O & string>(
  path: P,
  ...args: Arguments<InputOf<O[P]>>
) => Promise<OutputOf<O[P]>>

/** The operations of one interface. */
export type Client<O extends Operations> = { readonly [M in Method]: Call<O[M]> } & {
  readonly options: ClientOptions
  /** Only for the types of `follow`. */
  readonly streams?: O['stream']
}

/** The input and the answer of an operation: `InputTo<HubOperations['get'], '/v1/castById'>`. */
export type InputTo<M, P extends keyof M> = InputOf<M[P]>
export type AnswerOf<M, P extends keyof M> = OutputOf<M[P]>

/** A client of one interface. */
export function createClient<O extends Operations>(options: ClientOptions): Client<O> {
  checkClientOptions(options)
  const call = (method: Method) => (path: string, input?: Input, given?: CallOptions) =>
    ask(options, { method, path, input }, given)
  const calls = {
    get: call('get'),
    post: call('post'),
    put: call('put'),
    patch: call('patch'),
    delete: call('delete'),
  }
  return { ...calls, options } as unknown as Client<O>
}

const ask = (options: ClientOptions, request: Request, given: CallOptions = {}) =>
  send(options, request, given, bodyOf)

async function bodyOf(response: Response, url: string): Promise<unknown> {
  const text = await response.text()
  if (text === '') return undefined
  if (!response.headers.get('content-type')?.includes('json')) return text
  return parsed(text, url, response.status)
}

function parsed(text: string, url: string, status: number): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new RookeryError(`${url} answered invalid JSON`, { status, code: 'invalid_json' }, error)
  }
}
