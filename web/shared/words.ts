import { vocabularyOf } from '../../src/features/server-face/vocabulary.ts'
import { metaOf } from './face.ts'

// How this server calls what its members write: every page takes the words from here.

const { post, posts, verb, repost, reposts, reposted } = vocabularyOf(metaOf('posts'))

export const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

export const words = {
  /** One of them, many, and what the button that sends one says. */
  ...{ post, posts, verb },
  ...{ Post: capital(post), Posts: capital(posts), Verb: capital(verb) },
  /** Passing one on: the thing and the deed, many, and that somebody did. */
  ...{ repost, reposts, reposted, Repost: capital(repost), Reposts: capital(reposts) },
}

export const countOf = (count: number, one: string, many: string): string =>
  `${count} ${count === 1 ? one : many}`
