import Type from 'typebox'
import { createStaticFile, fileAnswer, type StaticFile } from '../kernel/http/files/static-files.ts'
import { anyTextParam, described } from '../kernel/http/input/params.ts'
import { type Route, route } from '../kernel/http/route.ts'
import { Rejection } from '../kernel/protocol/rejection.ts'
import { PICTURES, png } from './pictures.ts'

const HEADERS = { 'cache-control': 'public, max-age=3600', 'x-content-type-options': 'nosniff' }

/** The pictures of the development world, each drawn when it is first asked for. */
export function pictureRoutes(): Route[] {
  const drawn = new Map<string, StaticFile>()
  const find = (name: string): StaticFile => {
    const known = drawn.get(name)
    if (known) return known
    const picture = PICTURES.get(name.replace(/\.png$/, ''))
    if (!picture || !name.endsWith('.png')) throw new Rejection('not_found', `no picture ${name}`)
    const file = createStaticFile('image/png', png(picture))
    drawn.set(name, file)
    return file
  }
  return [
    route('GET /dev/pictures/:name', {
      callers: 'anyone',
      summary: 'A picture of the development world',
      description: 'Portraits of the first accounts, and what their casts show.',
      params: { name: described(anyTextParam, 'The name of the file.') },
      reply: Type.String(),
      contentType: 'image/png',
      errors: ['not_found'],
      cost: 'lookup',
      handler: (_, { params, request }) => fileAnswer(find(params.name), request, HEADERS),
    }),
  ]
}
