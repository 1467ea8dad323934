import { type CaptureRule, part, pattern } from "../language-rules.ts";

const ME = part`(?:(?:私|わたし|わたくし|僕|ぼく|俺|おれ|うち|自分)(?:は|が|も)[、 ]?)?`;
const NOW = part`(?:(?:今は|今|現在は|現在|最近|いま)[、 ]?)?`;
/** Any characters except は and が, which would name somebody else, and punctuation. */
const OWN = part`[^はが、。]`;
const WE = part`(?:(?:私たち|私達|我々|うちのチーム|チーム|弊社|当社|うち|会社)(?:は|で|では)[、 ]?)?`;
const STANDING = part`(?:(?:常に|いつも|必ず|絶対に?|今後は?|これからは?|毎回|二度と|決して|基本的に|原則として|もう)[、 ]?){1,2}`;
const PLEASE = part`(?:ください|下さい|ほしい(?:です)?|欲しい(?:です)?|ね|くれ)?$`;

/** The rules of Japanese, the more specific first. */
export const JAPANESE_RULES: readonly CaptureRule[] = [
  {
    trigger: "name",
    category: "entity",
    key: "user.name",
    pattern: pattern`^(?:(?:私|わたし|僕|俺)の)?(?:名前|氏名)は(?<value>${OWN}{1,30}?)(?:です|だ|といいます|と言います|と申します)$`,
  },
  {
    trigger: "name",
    category: "entity",
    key: "user.name",
    pattern: pattern`^(?:(?:私|わたし|僕|俺)は[、 ]?)?(?<value>${OWN}{1,30}?)(?:と申します|といいます)$`,
  },
  {
    trigger: "name",
    category: "entity",
    key: "user.name",
    pattern: pattern`^(?:(?:私|僕|俺)のことは[、 ]?|これからは[、 ]?)?(?<value>${OWN}{1,20}?)(?:と|って)呼んで${PLEASE}`,
  },
  {
    trigger: "named",
    category: "entity",
    lasting: true,
    pattern: pattern`^(?:私の|僕の|うちの)(?<topic>息子|娘|犬|猫|兄|弟|姉|妹|ペット)の名前は(?<value>.{1,30}?)(?:です|だ)$`,
  },
  {
    trigger: "named",
    category: "entity",
    key: "entity",
    lasting: true,
    pattern: pattern`^(?:私の|僕の|うちの)(?<topic>妻|夫|息子|娘|犬|猫|母|父|兄|弟|姉|妹|会社|上司|ペット)の名前は(?<value>.{1,30}?)(?:です|だ)$`,
  },
  {
    trigger: "location",
    category: "fact",
    key: "user.location",
    lasting: true,
    pattern: pattern`^${ME}${NOW}(?<value>${OWN}{1,40}?)(?:に住んでいます|に住んでいる|に住んでます|に住んでる|在住です|に引っ越しました|に引っ越した|へ引っ越しました|に引越しました|で暮らしています)$`,
  },
  {
    trigger: "origin",
    category: "fact",
    key: "user.origin",
    lasting: true,
    pattern: pattern`^${ME}(?:出身は)?(?<value>${OWN}{1,30}?)(?:出身です|出身だ|の出身です|生まれです)$`,
  },
  {
    trigger: "employer",
    category: "fact",
    key: "user.employer",
    lasting: true,
    pattern: pattern`^${ME}${NOW}(?<value>${OWN}{1,40}?)(?:で働いています|で働いている|で働いてます|に勤めています|に勤めている|に勤務しています|で仕事をしています)$`,
  },
  {
    trigger: "job",
    category: "fact",
    key: "user.job",
    lasting: true,
    pattern: pattern`^(?:${ME}(?<value>${OWN}{1,30}?(?:エンジニア|開発者|プログラマー?|教師|先生|医師|医者|看護師|学生|デザイナー|弁護士|研究者|会社員|公務員))(?:です|だ|をしています)|(?:私の)?(?:仕事|職業)は(?<other>.{1,30}?)です)$`,
  },
  {
    trigger: "being",
    category: "fact",
    lasting: true,
    pattern: pattern`^${ME}(?<value>ベジタリアン|菜食主義者|ヴィーガン|ビーガン|左利き|右利き|色覚異常|糖尿病|既婚|独身|\d{1,3}歳)(?:です|だ)$`,
  },
  {
    trigger: "allergy",
    category: "fact",
    key: "allergy",
    lasting: true,
    pattern: pattern`^${ME}(?<value>${OWN}{1,30}?)(?:の)?アレルギー(?:があります|がある|です|持ちです)$`,
  },
  {
    trigger: "about",
    category: "fact",
    key: "user.birthday",
    lasting: true,
    pattern: pattern`^(?:私の|僕の)?(?:誕生日|生年月日)は(?<value>.{1,30}?)(?:です|だ)$`,
  },
  {
    trigger: "about",
    category: "fact",
    key: "user.email",
    lasting: true,
    pattern: pattern`^(?:私の|僕の)(?:メールアドレス|メール)は(?<value>.{1,80}?)(?:です|だ)$`,
  },
  {
    trigger: "about",
    category: "fact",
    key: "user.timezone",
    lasting: true,
    pattern: pattern`^(?:私の|僕の)?タイムゾーンは(?<value>.{1,40}?)(?:です|だ)$`,
  },
  {
    trigger: "favourite",
    category: "preference",
    key: "favourite",
    pattern: pattern`^(?:私の|僕の|私が)?(?:一番)?(?:好きな|お気に入りの)(?<topic>${OWN}{1,20}?)は(?<value>.{1,60}?)(?:です|だ)$`,
  },
  {
    trigger: "prefer",
    category: "preference",
    key: "preference",
    pattern: pattern`^${ME}(?<other>${OWN}{1,40}?)より(?:も)?[、 ]?(?<value>${OWN}{1,40}?)(?:の(?:方|ほう))?が(?:好き|いい|良い|好み)(?:です|だ)?$`,
  },
  {
    trigger: "prefer",
    category: "preference",
    key: "preference",
    pattern: pattern`^${ME}(?:(?<topic>[^がを、。]{1,20}?)(?:は|では|には)[、 ]?)?(?<value>${OWN}{1,40}?)の?(?:方|ほう)が(?:好き|いい|良い|好み)(?:です|だ)?$`,
  },
  {
    trigger: "like",
    category: "preference",
    key: "like",
    pattern: pattern`^${ME}(?<value>${OWN}{1,60}?)(?:が|は)(?:とても|大|あまり)?(?:好き(?:です|だ)?|好みです|嫌い(?:です|だ)?|苦手(?:です|だ)?|好きではありません|好きじゃない(?:です)?|好きではない)$`,
    value: /^(?!彼|彼女|母|父|妻|夫|上司|友達|友人|兄|弟|姉|妹|息子|娘|あなた)/u,
  },
  {
    trigger: "like",
    category: "preference",
    key: "like",
    pattern: pattern`^${ME}(?<value>${OWN}{1,60}?)を好みます$`,
  },
  {
    trigger: "decided",
    category: "decision",
    key: "decision",
    pattern: pattern`^${WE}(?:(?<topic>[^を、。]{1,40}?)(?:には|に|として|は|の)[、 ]?)?(?<value>[^を、。]{1,40}?)(?:を(?:使う|使用する|採用する|利用する)こと|に(?:する|移行する|切り替える)こと)(?:に(?:しました|決めました|決定しました|した|決めた|なりました)|で合意しました)$`,
  },
  {
    trigger: "decided",
    category: "decision",
    key: "decision",
    pattern: pattern`^${WE}(?:(?<topic>[^を、。]{1,40}?)(?:には|に|として|は)[、 ]?)?(?<value>[^を、。]{1,40}?)(?:を採用しました|を採用した|に決めました|に決定しました|に決まりました)$`,
  },
  {
    trigger: "uses",
    category: "technical",
    key: "decision",
    pattern: pattern`^(?:うち|弊社|当社|私たち|うちのチーム|チーム)(?:は|では)[、 ]?(?<topic>[^を、。]{1,40}?)(?:に|には|で|として)(?<value>[^を、。]{1,40}?)を(?:使っています|使用しています|利用しています)$`,
  },
  {
    trigger: "use",
    category: "preference",
    key: "use",
    imperative: true,
    pattern: pattern`^(?:${STANDING})?(?:(?<scope>[^をは、。]{1,40}?)(?:では|には|で)[、 ]?)?(?<value>[^をは、。]{1,60}?)(?:を|は)(?:絶対に|もう)?(?:使わないで|使用しないで|利用しないで|避けて|使うのをやめて|やめて)${PLEASE}`,
  },
  {
    trigger: "use",
    category: "preference",
    key: "use",
    imperative: true,
    pattern: pattern`^${STANDING}(?:(?<scope>[^をは、。]{1,40}?)(?:では|には|で)[、 ]?)?(?<value>[^をは、。]{1,60}?)(?:を|は)(?:必ず|常に)?(?:使って|使用して|利用して|使うようにして)${PLEASE}`,
  },
  {
    trigger: "use",
    category: "preference",
    key: "use",
    imperative: true,
    pattern: pattern`^(?<other>[^をは、。]{1,40}?)(?:ではなく|の代わりに|じゃなくて)[、 ]?(?<value>[^をは、。]{1,40}?)を(?:使って|使用して|利用して)${PLEASE}`,
  },
  {
    trigger: "always",
    category: "preference",
    key: "do",
    imperative: true,
    pattern: pattern`^${STANDING}(?<value>[^。]{2,80}?(?:て|で))(?:ください|下さい|ほしい(?:です)?|欲しい(?:です)?|ね)$`,
  },
];
