/**
 * The languages that this server tells apart in posts, as codes of ISO 639-1. Indonesian stands for Malay too, which the detector does
 * not tell from it.
 */
export const READABLE = (
  'am ar az be bg bn ca cs da de el en es et eu fa fi fr gu he hi hr hu hy id is it ja ka kn ko ku lo lt lv ml mr nl no or pa pl pt ro ' +
  'ru sk sl sq sr sv ta te th tl tr uk ur vi yo zh'
).split(' ')
