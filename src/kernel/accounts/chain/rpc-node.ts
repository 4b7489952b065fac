import { getHttpRpcClient } from 'viem/utils'
import { parseQuantity } from './answers.ts'
import {
  ChainFault,
  type FaultKind,
  malformed,
  type RpcError,
  requestFault,
  rpcFault,
  statusFault,
} from './fault.ts'

export type Question = { readonly method: string; readonly params: readonly unknown[] }

export type RpcNodeOptions = {
  readonly url: string
  /** Place among the configured URLs. Logs and metrics name nodes by it, as URLs may hold API keys. */
  readonly index: number
  readonly chainId: number
  /** Aborts requests that are under way. */
  readonly signal: AbortSignal
  /** The longest wait for an answer. */
  readonly timeoutMs?: number | undefined
  readonly maxAnswerBytes?: number
  /** Called for every request, because providers charge for each. */
  readonly onAsked?: (method: string) => void
}

/** Providers abort log queries over long ranges after 10 to 30 seconds. */
const TIMEOUT_MS = 30_000
/** Logs of a range take about a kilobyte each; longer answers are requested in shorter ranges. */
const MAX_ANSWER_BYTES = 32 * 1024 * 1024
/** Failures that may mean that a node takes no batches, or only shorter ones. */
const REFUSES_ALL: readonly FaultKind[] = ['status', 'rpc error', 'refused range']
/** Some providers take no longer batches. */
const MAX_BATCH = 50

/**
 * One node behind one URL, by viem's HTTP client. Every failure is a ChainFault. viem's transports are not used: they
 * quote the URL in errors, do not compare the ids of answers and repeat paid requests (docs/decisions/0209).
 */
export class RpcNode {
  readonly index: number
  readonly #client: ReturnType<typeof getHttpRpcClient>
  readonly #options: RpcNodeOptions
  #lastId = 0
  #takesBatches = true
  #isRightChain = false
  #checking: Promise<void> | undefined

  constructor(options: RpcNodeOptions) {
    this.index = options.index
    this.#options = options
    const { maxAnswerBytes = MAX_ANSWER_BYTES } = options
    // The time-out is a signal of our own, which also ends the body of an answer.
    this.#client = getHttpRpcClient(options.url, {
      maxResponseBodySize: maxAnswerBytes,
      timeout: 0,
    })
  }

  /**
   * Throws unless the node serves our chain. Checked again after every failure, because URLs may lead
   * elsewhere. Callers at the same time share one request, which providers charge for and no budget counts.
   */
  async checkChain(withinMs?: number): Promise<void> {
    if (this.#isRightChain) return
    this.#checking ??= this.#askChain().finally(() => {
      this.#checking = undefined
    })
    await within(this.#checking, withinMs)
  }

  async #askChain(): Promise<void> {
    const chainId = parseQuantity(await this.ask('eth_chainId'), 'chain id')
    if (chainId !== this.#options.chainId) {
      throw new ChainFault('wrong chain', `it is chain ${chainId}, not ${this.#options.chainId}`)
    }
    this.#isRightChain = true
  }

  distrust(): void {
    this.#isRightChain = false
  }

  async ask(method: string, params: readonly unknown[] = [], withinMs?: number): Promise<unknown> {
    const asked = this.#request({ method, params })
    return resultOf(await this.#post(asked, withinMs), asked.id)
  }

  /** Answers in the order of the requests. */
  async askAll(questions: readonly Question[]): Promise<unknown[]> {
    const answers: unknown[] = []
    for (let at = 0; at < questions.length; at += MAX_BATCH) {
      answers.push(...(await this.#askBatch(questions.slice(at, at + MAX_BATCH))))
    }
    return answers
  }

  async #askBatch(questions: readonly Question[]): Promise<unknown[]> {
    if (questions.length === 1 || !this.#takesBatches) return this.#askSingly(questions)
    const asked = questions.map((question) => this.#request(question))
    const answers = await this.#post(asked).catch((error) => {
      if (error instanceof ChainFault && REFUSES_ALL.includes(error.kind)) return undefined
      throw error
    })
    if (Array.isArray(answers)) {
      const byId = new Map(answers.map((answer) => [(answer as Answer)?.id, answer]))
      return asked.map(({ id }) => resultOf(byId.get(id), id))
    }
    const error = (answers as Answer | undefined)?.error
    if (error && rpcFault(error).kind === 'rate limit') throw rpcFault(error)
    const singly = await this.#askSingly(questions)
    // If the node had failed rather than the batch, single requests would have failed too.
    this.#takesBatches = false
    return singly
  }

  async #askSingly(questions: readonly Question[]): Promise<unknown[]> {
    const answers: unknown[] = []
    for (const { method, params } of questions) answers.push(await this.ask(method, params))
    return answers
  }

  #request({ method, params }: Question): Asked {
    this.#options.onAsked?.(method)
    return { id: ++this.#lastId, method, params }
  }

  async #post(body: Asked | Asked[], withinMs = Number.POSITIVE_INFINITY): Promise<unknown> {
    const limitMs = Math.min(withinMs, this.#options.timeoutMs ?? TIMEOUT_MS)
    const timeout = AbortSignal.timeout(limitMs)
    let status = 200
    const onResponse = (response: Response) => {
      status = response.ok ? 200 : response.status
      const fault = statusFault(response)
      if (fault) throw fault
    }
    try {
      const signal = AbortSignal.any([timeout, this.#options.signal])
      return await this.#client.request({ body, fetchOptions: { signal }, onResponse })
    } catch (error) {
      if (timeout.aborted) throw noAnswerIn(limitMs)
      const fault = requestFault(error)
      const isOfStatus = status !== 200 && ['malformed', 'network'].includes(fault.kind)
      throw isOfStatus ? new ChainFault('status', `status ${status}`) : fault
    }
  }
}

const noAnswerIn = (ms: number) => new ChainFault('timeout', `no answer in ${ms} ms`)

/** What others wait for as well, for as long as this one can wait. */
async function within<T>(shared: Promise<T>, ms: number | undefined): Promise<T> {
  if (ms === undefined) return shared
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(noAnswerIn(ms)), ms)
  })
  return Promise.race([shared, late]).finally(() => clearTimeout(timer))
}

type Asked = Question & { readonly id: number }

type Answer = {
  readonly id?: unknown
  readonly result?: unknown
  readonly error?: RpcError | null
}

function resultOf(answer: unknown, id: number): unknown {
  if (typeof answer !== 'object' || answer === null) throw malformed('an answer is missing')
  const { id: answered, result, error } = answer as Answer
  if (error) throw rpcFault(error)
  if (answered !== id) throw malformed('an answer to another question')
  if (result === undefined) throw malformed('an answer without a result')
  return result
}
