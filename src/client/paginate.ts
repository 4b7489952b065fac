import type { AnswerOf, Client, InputTo, Operations } from './client.ts'
import { RookeryError } from './error.ts'
import type { CallOptions, Input } from './transport.ts'

/** The parameter with which a list goes on: the hub and the platform have one, the app API the other. */
type PageParameter = { readonly pageToken?: string } | { readonly cursor?: string }

/** The paths of an interface that answer in pages. */
export type PagedPath<O extends Operations> = {
  [P in keyof O['get']]: 'pageToken' extends keyof InputTo<O['get'], P>
    ? P
    : 'cursor' extends keyof InputTo<O['get'], P>
      ? P
      : never
}[keyof O['get']] &
  string

/**
 * Yields the pages of a list, one request for each: `for await (const { messages } of paginate(hub,
 * '/v1/castsByFid', { fid: 1 }))`. The input is that of the first page, whose size and order all have. Leave the loop
 * when you have enough: lists may be long.
 */
export async function* paginate<O extends Operations, P extends PagedPath<O>>(
  client: Client<O>,
  path: P,
  input: InputTo<O['get'], P>,
  options?: CallOptions,
): AsyncGenerator<AnswerOf<O['get'], P>, void> {
  const get = client.get as unknown as (
    path: P,
    input: Input,
    options?: CallOptions,
  ) => Promise<Page>
  let next: PageParameter | undefined = {}
  while (next) {
    const page: Page = await get(path, { ...(input as object), ...next } as Input, options)
    yield page as AnswerOf<O['get'], P>
    next = following(page, next)
  }
}

type Page = {
  /** Of the hub and the platform; empty at the end. */
  readonly nextPageToken?: string | null
  /** Of the app API and of the platform. */
  readonly next?: { readonly cursor?: string | null }
}

/** What asks for the page after this one; undefined after the last. */
function following(page: Page, asked: PageParameter): PageParameter | undefined {
  const { nextPageToken: pageToken, next } = page
  const parameter = pageToken ? { pageToken } : next?.cursor ? { cursor: next.cursor } : undefined
  if (parameter && JSON.stringify(parameter) === JSON.stringify(asked)) {
    const text = 'the server answered the same page token again, so the list would never end'
    throw new RookeryError(text, { status: 200, code: 'repeated_page' })
  }
  return parameter
}
