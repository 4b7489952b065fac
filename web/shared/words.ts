import { capital, inWords, vocabularyOf } from '../../src/kernel/protocol/vocabulary.ts'
import { metaOf } from './meta.ts'

// How this server calls what its members write: every page takes the words from here.

const vocabulary = vocabularyOf(metaOf('posts'))
const { post, posts, verb, repost, reposts, reposted } = vocabulary

const isVowel = (letter: string) => 'aeiou'.includes(letter)
const aPost = `${isVowel(post.charAt(0).toLowerCase()) ? 'an' : 'a'} ${post}`

export const words = {
  /** One of them, many, and what the button that sends one says. */
  ...{ post, posts, verb },
  aPost,
  ...{ Post: capital(post), Posts: capital(posts), Verb: capital(verb) },
  /** Passing one on: the thing and the deed, many, and that somebody did. */
  ...{ repost, reposts, reposted },
  ...{ Repost: capital(repost), Reposts: capital(reposts), Reposted: capital(reposted) },
}

/** A text of the program in the words of this server. */
export const said = (text: string): string => inWords(text, vocabulary)
