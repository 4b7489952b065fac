import { join } from 'node:path'
import Type from 'typebox'
import { Rejection } from '../../protocol/rejection.ts'
import { anyTextParam, described } from '../input/params.ts'
import { type Route, route, type Tag } from '../route.ts'
import { ASSET_HEADERS, fileAnswer, readStaticFiles } from './static-files.ts'

type AssetRouteOptions = {
  /** The path of the pages, without a slash at its end. */
  readonly below: string
  /** The build of the pages; its folder assets/ holds the files. */
  readonly built: string
  readonly summary: string
  readonly tags: readonly Tag[]
}

/** Scripts and styles of pages. Browsers keep them, because another content has another name. */
export function assetRoute({ below, built, summary, tags }: AssetRouteOptions): Route {
  const assets = readStaticFiles(join(built, 'assets'))
  return route(`GET ${below}/assets/:name`, {
    callers: 'anyone',
    summary,
    description: 'The name of a file changes with its content.',
    params: { name: described(anyTextParam, 'The name of the file.') },
    reply: Type.String(),
    contentType: 'text/javascript',
    errors: ['not_found'],
    tags,
    cost: 'lookup',
    handler: (_, { params, request }) => {
      const file = assets.get(params.name)
      if (!file) throw new Rejection('not_found', `no asset ${params.name}`)
      return fileAnswer(file, request, ASSET_HEADERS)
    },
  })
}
