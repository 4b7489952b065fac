import { Rejection } from '../../../kernel/protocol/rejection.ts'
import { type SiteFiles, URL_FIELD } from './site-files.ts'

/** Pictures and videos that this server keeps. */
export type OwnFiles = {
  /** Whether it is an address of such a file. */
  isOwn(url: URL): boolean
  /** Keeps a picture of the server and answers its path. */
  uploadForServer(picture: {
    readonly bytes: Uint8Array
    readonly consume: (bytes: number) => void
  }): Promise<string>
  urlOf(path: string): string
  fileAt(
    url: URL,
    maxBytes: number,
  ): Promise<{ readonly type: string; readonly bytes: Uint8Array } | undefined>
}

/** Files at addresses of this server are read from its store, not over the network. */
export const withOwnFiles = (files: SiteFiles, own: OwnFiles): SiteFiles => ({
  ...files,
  async fetch(url, request) {
    if (!own.isOwn(url)) return files.fetch(url, request)
    const { maxBytes } = request
    const file = await own.fileAt(url, maxBytes)
    if (file) return { url, ...file }
    const text = `there is no file of at most ${maxBytes} bytes at ${url.host}${url.pathname}`
    throw new Rejection('bad_request.validation_failure', text, { field: URL_FIELD })
  },
})
