import { type CaptureRule, part, pattern } from "../language-rules.ts";

const OUR = part`(?:(?:私|わたし|僕|俺|うち|我が家|弊社|当社|私たち|我々|会社)の)`;
const ONE = part`(?:妻|夫|旦那|主人|彼女|彼氏|母|父|上司|部長|課長|社長|税理士|会計士|大家(?:さん)?|管理人|主治医|かかりつけ医|歯医者|歯科医|弁護士|配管工|仕入先|仕入れ先|取引銀行|担当者|秘書)`;
const MANY = part`(?:息子|娘|長男|長女|次男|次女|子供|子ども|兄|弟|姉|妹|祖母|祖父|おばあちゃん|おじいちゃん|叔父|叔母|いとこ|甥|姪|孫|友達|友人|親友|同僚|部下|後輩|先輩|取引先|顧客|隣人|ルームメイト)`;
const OWN = part`[^はがを、。]`;
/**
 * Matches a name: with "さん", of a firm, or in letters that no adjective has (Latin capitals,
 * Katakana).
 */
const CALLED = part`(?:${OWN}{1,20}(?:さん|様|氏|先生|くん|ちゃん|株式会社|有限会社|社)|(?:株式会社)[^はがを、。]{1,20}|[A-Z\p{sc=Katakana}ー・][\w\p{sc=Katakana}ー・ ]{1,20})`;
const IS = part`(?:です|だ|になりました|といいます|と言います)`;
const MINE = part`(?:${OUR}?(?:${ONE}|${MANY})(?:の${OWN}{1,10})?)`;
const NAME = part`(?:(?!私|僕|俺|彼|彼女|誰|皆|みんな|人|これ|それ|猫|犬)${OWN}{1,12}(?:さん|様|氏|先生|くん|君|ちゃん))`;
const lines = { category: "fact", lasting: true } as const;

/** The rules for a sentence as a whole. */
export const JAPANESE_WHOLE_RULES: readonly CaptureRule[] = [
  {
    trigger: "when I say",
    category: "preference",
    key: "when",
    imperative: true,
    lasting: true,
    pattern: pattern`^(?:(?:私|僕)が)?(?<topic>.{1,40}?)と(?:言った|いった|書いた|入力した)(?:ら|とき(?:は|に)?|時(?:は|に)?|場合は?)[、,]?(?<value>.{2,80}(?:て|で)(?:ください|下さい|ほしい|欲しい|ね))$`,
  },
];

/** The Japanese rules for people and things that belong to the speaker, and for changes. */
export const JAPANESE_RELATIONS: readonly CaptureRule[] = [
  {
    trigger: "allergy",
    category: "fact",
    key: "allergy",
    lasting: true,
    pattern: pattern`^(?<who>${MINE}|${NAME})は(?<value>${OWN}{1,20}?)(?:の)?アレルギー(?:が(?:あります|ある|あって)|です|だ|持ちです)$`,
  },
  {
    trigger: "health",
    category: "fact",
    pattern: pattern`^(?<who>${MINE}|${NAME})は(?<value>${OWN}{1,20}?)(?:が|を)(?:食べられません|食べられない|食べません|飲めません|飲めない)$`,
  },
  {
    trigger: "health",
    category: "fact",
    pattern: pattern`^(?<who>${MINE}|${NAME})は(?<value>ベジタリアン|菜食主義者?|ヴィーガン|ビーガン|糖尿病|左利き|喘息)(?:です|だ)$`,
  },
  ...(
    [
      [ONE, "entity"],
      [MANY, undefined],
    ] as const
  ).flatMap(([noun, key]): CaptureRule[] => [
    {
      trigger: "relation",
      category: "entity",
      lasting: true,
      key,
      pattern: pattern`^${OUR}(?:新しい)?(?<topic>${noun})(?:の名前)?は(?:今は)?(?<value>${CALLED})${IS}$`,
    },
    {
      trigger: "relation",
      category: "entity",
      lasting: true,
      key,
      pattern: pattern`^(?<value>${CALLED})(?:は|が)${OUR}(?:新しい)?(?<topic>${noun})(?:です|だ|になりました)$`,
    },
  ]),
  {
    trigger: "relation",
    category: "fact",
    pattern: pattern`^(?<who>${MINE})は(?:今)?(?<value>${OWN}{1,30}?)(?:で働いています|で働いている|に勤めています|に勤めている|に勤務しています|に住んでいます|に住んでいる|に通っています|に引っ越しました|歳です|歳になりました|年生です)$`,
  },
  ...(
    [
      ["誕生日", "of.birthday"],
      ["(?:電話番号|携帯番号|内線(?:番号)?)", "of.phone"],
      ["(?:メールアドレス|メール)", "of.email"],
      ["(?:住所)", "of.address"],
    ] as const
  ).map(
    ([noun, key]): CaptureRule => ({
      ...lines,
      trigger: "about",
      key,
      value: /\d|[一二三四五六七八九十]月|@/u,
      pattern: pattern`^(?<who>${OWN}{1,16}?)の${noun}は(?<value>.{2,60}?)(?:です|だ)$`,
    }),
  ),
  {
    ...lines,
    trigger: "about",
    key: "entity",
    pattern: pattern`^${OUR}?(?<topic>(?:玄関|門|ゲート|ドア|入口|入り口|車庫|アラーム|警報|宅配ボックス|オフィス|ゲスト用?|来客用?)?の?(?:暗証番号|ドアコード|コード)|(?:ゲスト用?の?|来客用の?|オフィスの)?(?:Wi-?Fi|無線LAN)の(?:パスワード|名前|暗号化キー))は(?<value>(?!間違|違|不明|何)[^、。]{2,40}?)(?:です|だ|になりました)$`,
  },
  {
    ...lines,
    trigger: "about",
    key: "entity",
    value: /\d/u,
    pattern: pattern`^${OUR}(?<topic>(?:保険証?|会員|顧客|口座|社員|学籍|お客様|契約)(?:の)?番号|ナンバー|駐車場)は(?<value>.{2,40}?)(?:です|だ)$`,
  },
  {
    trigger: "moved",
    category: "fact",
    pattern: pattern`^(?<topic>${OWN}{0,12}(?:会議|ミーティング|打ち合わせ|定例|締め切り|締切|予約|面接|納品|研修|授業|レッスン|発表))は(?<value>${OWN}{1,20}?)に(?:変更になりました|変わりました|変更されました|延期になりました|延期されました|移動しました|なりました)$`,
  },
  {
    trigger: "changed",
    category: "decision",
    key: "decision",
    pattern: pattern`^(?:(?:私たち|うち|弊社|チーム)は)?(?<other>${OWN}{1,20}?)から(?<value>${OWN}{1,20}?)に(?:切り替えました|移行しました|乗り換えました|変えました)$`,
  },
];
