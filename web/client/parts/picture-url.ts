import { webUrl } from '../../shared/links.ts'
import { queryText } from '../../shared/request.ts'

/** Widths that pictures are asked for in; few, so that the server keeps few of each. */
export type Width = 96 | 192 | 640 | 1280

/** The address of a picture of another site: this server fetches it, so that the site does not learn who looks. */
export function pictureUrl(url: string | null | undefined, width: Width): string | undefined {
  const web = url ? webUrl(url) : undefined
  return web && `/picture${queryText({ url: web.href, width })}`
}
