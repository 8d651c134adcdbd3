/** One word per thing, by language: what is meant, the word for it, and the words that are not used for it. */
export const WORDS = {
  zh: [
    ['operator', '管理员', /运营者|运营人员|运维人员|运维账户/],
    ['verdict', '判定', /结论|裁决/],
    ['revoke a key', '吊销', /作废密钥|注销密钥/],
    ['source of evidence', '来源', /(?<!Infinity )数据源/],
    ['prefix', '网段', /(?<!令牌|路径|的|及其)前缀(?!长度)/],
    ['allow list', '白名单', /放行名单|允许名单/],
    ['watch list', '监视名单', /监控名单|关注列表/],
    ['second factor', '两步验证', /第二因素|双因素|双重验证/],
  ],
  en: [
    ['allow list', 'allow list', /\bwhite-?list/i],
    ['block list', 'block list', /\bblack-?list(?!s?\b.{0,40}(?:AbuseIPDB|endpoint|document))/i],
    ['sign in', 'sign in', /\blog(?:ged)? in(?: to| with|\.)/i],
    ['mail address', 'e-mail address', /\bemail address/],
  ],
} as const;
