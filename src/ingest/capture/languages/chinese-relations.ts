import { type CaptureRule, part, pattern } from "../language-rules.ts";

const MY = part`(?:我们的?|我們的?|我的?|咱们的?|公司的?|我家的?)`;
const ONE = part`(?:妻子|太太|老婆|丈夫|先生|老公|女朋友|男朋友|妈妈|媽媽|母亲|母親|爸爸|父亲|父親|老板|老闆|上司|经理|經理|主管|会计|會計|房东|房東|家庭医生|家庭醫生|医生|醫生|牙医|牙醫|律师|律師|供应商|供應商|水管工|电工|電工|保姆|秘书|秘書|助理|班主任)`;
const MANY = part`(?:儿子|兒子|女儿|女兒|孩子|宝宝|寶寶|哥哥|弟弟|姐姐|妹妹|奶奶|爷爷|爺爺|外婆|外公|叔叔|阿姨|表哥|表弟|表姐|表妹|侄子|侄女|朋友|同事|室友|邻居|鄰居|客户|客戶|实习生|老师|老師|教练|教練|合伙人|合夥人)`;
const WHO = part`(?:${MY}(?:${ONE}|${MANY})[^，。对對的在是不]{0,4})`;
const NAME = part`(?:(?!我|你|您|他|她|它|大家|谁|誰|很多|有些|有人|人|这|這|那|有|没|每|所以|因为|因為|如果|但|可能|也|都)[\p{sc=Han}A-Za-z]{2,8}?)`;
/** Matches a name, but not "an honest man", "very strict", "the one who …". */
const CALLED = part`(?<value>(?!一|很|个|個|非常|最|不|我|他|她|谁|誰|什么|什麼|好|这|這|那|从|從|在)[^，。！？的]{1,16})`;
const lines = { category: "fact", lasting: true } as const;

/** The rules for a sentence as a whole. */
export const CHINESE_WHOLE_RULES: readonly CaptureRule[] = [
  {
    trigger: "when I say",
    category: "preference",
    key: "when",
    imperative: true,
    lasting: true,
    pattern: pattern`^(?:当|當|每当|每當|如果|只要|以后|以後)?我(?:说|說|输入|輸入|写|寫)(?<topic>[^，,]{1,30}?)(?:的时候|的時候|时|時)?[，,](?:你|就|你就|请|請|请你|請你|那就){0,2}(?<value>(?:发|發|运行|運行|执行|執行|打开|打開|给|給|帮|幫|用|写|寫|回答|显示|顯示|列出|提醒|停止|开始|開始|部署|发送|發送|查|总结|總結|翻译|翻譯|删除|創建|创建|把).{1,60})$`,
  },
];

/** The Chinese rules for people and things that belong to the speaker, and for changes. */
export const CHINESE_RELATIONS: readonly CaptureRule[] = [
  {
    trigger: "allergy",
    category: "fact",
    key: "allergy",
    lasting: true,
    pattern: pattern`^(?<who>${WHO}|${NAME})(?:也|严重|嚴重)?(?:对|對)(?<value>[^，。]{1,20}?)(?:严重|嚴重)?(?:过敏|過敏|不耐受)$`,
  },
  {
    trigger: "health",
    category: "fact",
    pattern: pattern`^(?<who>${WHO}|${NAME})(?:不能吃|不能喝|不吃|吃不了|不能碰)(?<value>(?!了|饭|飯|东西|東西)[^，。]{1,20})$`,
  },
  {
    trigger: "health",
    category: "fact",
    pattern: pattern`^(?<who>${WHO})(?:是|有|患有?)(?<value>素食者|素食主义者|吃素|糖尿病|哮喘|左撇子|色盲|高血压|高血壓|怀孕|懷孕)(?:了|的)?$`,
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
      pattern: pattern`^${MY}(?:新的?|现任)?(?<topic>${noun})(?:的名字)?(?:现在|現在)?(?:是|叫|叫做)${CALLED}$`,
    },
    {
      trigger: "relation",
      category: "entity",
      lasting: true,
      key,
      pattern: pattern`^(?<value>${NAME})(?:现在|現在)?是${MY}(?:新的?)?(?<topic>${noun})$`,
    },
  ]),
  {
    trigger: "relation",
    category: "fact",
    pattern: pattern`^(?<who>${WHO})(?:现在|現在|今年|已经|已經)?(?:(?:在(?<value>[^，。]{1,20}?)(?:工作|上班|上学|上學|读书|讀書|任职))|(?:住在|搬到了?|住)(?<other>[^，。]{1,20})|(?<scope>\d{1,3}(?:岁|歲)了?))$`,
  },
  ...(
    [
      ["生日", "of.birthday"],
      ["(?:电话|電話|手机|手機)(?:号码?|號碼?)?", "of.phone"],
      ["(?:邮箱|郵箱|电子邮件|電子郵件)", "of.email"],
      ["(?:地址|住址)", "of.address"],
    ] as const
  ).map(
    ([noun, key]): CaptureRule => ({
      ...lines,
      trigger: "about",
      key,
      value: /\d|[一二三四五六七八九十]月|@/u,
      pattern: pattern`^(?<who>(?!你|您|他|她|它|谁|誰|这|這|那)[^，。是]{1,16}?)的${noun}(?:现在|現在)?(?:是|在)(?<value>.{2,60})$`,
    }),
  ),
  {
    ...lines,
    trigger: "about",
    key: "entity",
    pattern: pattern`^(?:${MY})?(?<topic>(?:大门|大門|门禁|門禁|前门|车库|車庫|报警器?|警報器?|办公室|辦公室|储物柜|訪客|访客)的?(?:密码|密碼|代码|代碼|号码)|(?:访客|訪客|办公室|辦公室|公司|家里)?的?(?:Wi-?Fi|无线网?络?|無線網路?)的?(?:密码|密碼|名称|名稱|名字))(?:现在|現在)?(?:是|为|為)(?<value>(?!错|錯|什么|什麼|多少|不)[^，。]{2,40})$`,
  },
  {
    ...lines,
    trigger: "about",
    key: "entity",
    value: /\d/u,
    pattern: pattern`^${MY}(?<topic>(?:保险|保險|会员|會員|客户|客戶|社保|医保|醫保|账户|帳戶|员工|員工|学号|車位|车位|车牌)(?:号码?|號碼?)?)是(?<value>[^，。]{2,40})$`,
  },
  {
    trigger: "moved",
    category: "fact",
    pattern: pattern`^(?<topic>[^，。]{0,8}(?:会议|會議|例会|周会|週會|会|會|约会|预约|預約|面试|面試|截止日期|培训|培訓|课|課|发布|發布))(?:已经|已經|被)?(?:改到|改在|改成|推迟到|推遲到|挪到|提前到|移到|延期到)了?(?<value>[^，。]{1,20})$`,
  },
  {
    trigger: "changed",
    category: "decision",
    key: "decision",
    pattern: pattern`^(?:我们|我們|我|团队)(?:已经|已經)?从(?<other>[^，。]{1,20}?)(?:换成|換成|切换到|切換到|换到|迁移到|遷移到|改用)了?(?<value>[^，。]{1,20})$`,
  },
];
