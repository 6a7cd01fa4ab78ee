package parse

import (
	sitter "github.com/smacker/go-tree-sitter"
	"github.com/smacker/go-tree-sitter/python"
)

// kind is a node kind of the Python grammar that lowering knows; every other
// one is kindOther. Kinds are resolved by name once, so that the numbers of the
// generated grammar stand nowhere in the code.
type kind uint8

// The named nodes, then the tokens.
const (
	kindOther kind = iota
	kindError

	kindAliasedImport
	kindArgumentList
	kindAsPattern
	kindAsPatternTarget
	kindAssert
	kindAssignment
	kindAttribute
	kindAugmentedAssignment
	kindAwait
	kindBinary
	kindBlock
	kindBoolean
	kindBreak
	kindCall
	kindCaseClause
	kindCasePattern
	kindChevron
	kindClassDefinition
	kindClassPattern
	kindComment
	kindComparison
	kindComplexPattern
	kindConcatenated
	kindConditional
	kindConstrainedType
	kindContinue
	kindDecorated
	kindDecorator
	kindDefaultParameter
	kindDelete
	kindDictComp
	kindDictPattern
	kindDictSplat
	kindDictSplatPattern
	kindDictionary
	kindDottedName
	kindElif
	kindElse
	kindEllipsis
	kindExcept
	kindExceptGroup
	kindExec
	kindExpressionList
	kindExpressionStatement
	kindFalse
	kindFinally
	kindFloat
	kindFor
	kindForIn
	kindFormatExpression
	kindFormatSpecifier
	kindFunctionDefinition
	kindFutureImport
	kindGenerator
	kindGenericType
	kindGlobal
	kindIdentifier
	kindIf
	kindIfClause
	kindImport
	kindImportFrom
	kindImportPrefix
	kindInteger
	kindInterpolation
	kindKeywordArgument
	kindKeywordPattern
	kindKeywordSeparator
	kindLambda
	kindLambdaParameters
	kindList
	kindListComp
	kindListPattern
	kindListSplat
	kindListSplatPattern
	kindMatch
	kindMemberType
	kindModule
	kindNamedExpression
	kindNone
	kindNonlocal
	kindNotOperator
	kindPair
	kindParameters
	kindParenthesized
	kindPass
	kindPatternList
	kindPositionalSeparator
	kindPrint
	kindRaise
	kindRelativeImport
	kindReturn
	kindSet
	kindSetComp
	kindSlice
	kindSplatPattern
	kindSplatType
	kindString
	kindStringContent
	kindStringEnd
	kindStringStart
	kindSubscript
	kindTrue
	kindTry
	kindTuple
	kindTuplePattern
	kindType
	kindTypeAlias
	kindTypeConversion
	kindTypeParameter
	kindTypedDefaultParameter
	kindTypedParameter
	kindUnary
	kindUnionPattern
	kindUnionType
	kindWhile
	kindWildcardImport
	kindWith
	kindWithClause
	kindWithItem
	kindYield

	tokenColon
	tokenComma
	tokenEqual
	tokenMinus
	tokenBar
	tokenUnderscore
	tokenAsync
	tokenFrom
	tokenStarStar
	tokenDef
	tokenClass
	tokenLeftBracket
)

var nodeKinds = map[string]kind{
	"ERROR": kindError, "aliased_import": kindAliasedImport, "argument_list": kindArgumentList,
	"as_pattern": kindAsPattern, "as_pattern_target": kindAsPatternTarget, "assert_statement": kindAssert,
	"assignment": kindAssignment, "attribute": kindAttribute, "augmented_assignment": kindAugmentedAssignment,
	"await": kindAwait, "binary_operator": kindBinary, "block": kindBlock, "boolean_operator": kindBoolean,
	"break_statement": kindBreak, "call": kindCall, "case_clause": kindCaseClause, "case_pattern": kindCasePattern,
	"chevron": kindChevron, "class_definition": kindClassDefinition, "class_pattern": kindClassPattern,
	"comment": kindComment, "comparison_operator": kindComparison, "complex_pattern": kindComplexPattern,
	"concatenated_string": kindConcatenated, "conditional_expression": kindConditional,
	"constrained_type": kindConstrainedType, "continue_statement": kindContinue,
	"decorated_definition": kindDecorated, "decorator": kindDecorator, "default_parameter": kindDefaultParameter,
	"delete_statement": kindDelete, "dictionary_comprehension": kindDictComp, "dict_pattern": kindDictPattern,
	"dictionary_splat": kindDictSplat, "dictionary_splat_pattern": kindDictSplatPattern,
	"dictionary": kindDictionary, "dotted_name": kindDottedName, "elif_clause": kindElif, "else_clause": kindElse,
	"ellipsis": kindEllipsis, "except_clause": kindExcept, "except_group_clause": kindExceptGroup,
	"exec_statement": kindExec, "expression_list": kindExpressionList,
	"expression_statement": kindExpressionStatement, "false": kindFalse, "finally_clause": kindFinally,
	"float": kindFloat, "for_statement": kindFor, "for_in_clause": kindForIn,
	"format_expression": kindFormatExpression, "format_specifier": kindFormatSpecifier,
	"function_definition": kindFunctionDefinition, "future_import_statement": kindFutureImport,
	"generator_expression": kindGenerator, "generic_type": kindGenericType, "global_statement": kindGlobal,
	"identifier": kindIdentifier, "if_statement": kindIf, "if_clause": kindIfClause,
	"import_statement": kindImport, "import_from_statement": kindImportFrom, "import_prefix": kindImportPrefix,
	"integer": kindInteger, "interpolation": kindInterpolation, "keyword_argument": kindKeywordArgument,
	"keyword_pattern": kindKeywordPattern, "keyword_separator": kindKeywordSeparator, "lambda": kindLambda,
	"lambda_parameters": kindLambdaParameters, "list": kindList, "list_comprehension": kindListComp,
	"list_pattern": kindListPattern, "list_splat": kindListSplat, "list_splat_pattern": kindListSplatPattern,
	"match_statement": kindMatch, "member_type": kindMemberType, "module": kindModule,
	"named_expression": kindNamedExpression, "none": kindNone, "nonlocal_statement": kindNonlocal,
	"not_operator": kindNotOperator, "pair": kindPair, "parameters": kindParameters,
	"parenthesized_expression": kindParenthesized, "pass_statement": kindPass, "pattern_list": kindPatternList,
	"positional_separator": kindPositionalSeparator, "print_statement": kindPrint, "raise_statement": kindRaise,
	"relative_import": kindRelativeImport, "return_statement": kindReturn, "set": kindSet,
	"set_comprehension": kindSetComp, "slice": kindSlice, "splat_pattern": kindSplatPattern,
	"splat_type": kindSplatType, "string": kindString, "string_content": kindStringContent,
	"string_end": kindStringEnd, "string_start": kindStringStart, "subscript": kindSubscript, "true": kindTrue,
	"try_statement": kindTry, "tuple": kindTuple, "tuple_pattern": kindTuplePattern, "type": kindType,
	"type_alias_statement": kindTypeAlias, "type_conversion": kindTypeConversion,
	"type_parameter": kindTypeParameter, "typed_default_parameter": kindTypedDefaultParameter,
	"typed_parameter": kindTypedParameter, "unary_operator": kindUnary, "union_pattern": kindUnionPattern,
	"union_type": kindUnionType, "while_statement": kindWhile, "wildcard_import": kindWildcardImport,
	"with_statement": kindWith, "with_clause": kindWithClause, "with_item": kindWithItem, "yield": kindYield,
}

var tokenKinds = map[string]kind{
	":": tokenColon, ",": tokenComma, "=": tokenEqual, "-": tokenMinus, "|": tokenBar, "_": tokenUnderscore,
	"async": tokenAsync, "from": tokenFrom, "**": tokenStarStar, "def": tokenDef, "class": tokenClass, "[": tokenLeftBracket,
}

// field is the role of a node in its parent, as the grammar numbers it.
type field uint8

var fieldAlias, fieldAlternative, fieldArgument, fieldArguments, fieldAttribute, fieldBody, fieldCause,
	fieldCondition, fieldConsequence, fieldDefinition, fieldExpression, fieldFormatSpecifier, fieldFunction, fieldGuard,
	fieldKey, fieldLeft, fieldModuleName, fieldName, fieldObject, fieldOperator, fieldOperators, fieldParameters,
	fieldReturnType, fieldRight, fieldSubject, fieldSubscript, fieldSuperclasses, fieldType, fieldTypeParameters,
	fieldValue field

// fieldsByName are the fields that lowering reads.
var fieldsByName = map[string]*field{
	"alias": &fieldAlias, "alternative": &fieldAlternative, "argument": &fieldArgument,
	"arguments": &fieldArguments, "attribute": &fieldAttribute, "body": &fieldBody, "cause": &fieldCause,
	"condition": &fieldCondition, "consequence": &fieldConsequence, "definition": &fieldDefinition,
	"expression": &fieldExpression, "format_specifier": &fieldFormatSpecifier, "function": &fieldFunction,
	"guard": &fieldGuard, "key": &fieldKey, "left": &fieldLeft, "module_name": &fieldModuleName,
	"name": &fieldName, "object": &fieldObject, "operator": &fieldOperator, "operators": &fieldOperators,
	"parameters": &fieldParameters, "return_type": &fieldReturnType, "right": &fieldRight,
	"subject": &fieldSubject, "subscript": &fieldSubscript, "superclasses": &fieldSuperclasses,
	"type": &fieldType, "type_parameters": &fieldTypeParameters, "value": &fieldValue,
}

const errorSymbol = 0xFFFF

var grammar = python.GetLanguage()

// kinds maps the grammar's symbols to kinds.
var kinds = resolveKinds(grammar)

// parenthesizedSymbol is what a fix turns a node into that shall stand for its child.
var parenthesizedSymbol uint16

func resolveKinds(lang *sitter.Language) (table [1 << 16]kind) {
	for s := range lang.SymbolCount() {
		names := nodeKinds
		if lang.SymbolType(sitter.Symbol(s)) != sitter.SymbolTypeRegular {
			names = tokenKinds
		}
		table[s] = names[lang.SymbolName(sitter.Symbol(s))]
		if table[s] == kindParenthesized {
			parenthesizedSymbol = uint16(s)
		}
	}
	table[errorSymbol] = kindError
	for i := 1; lang.FieldName(i) != ""; i++ {
		if f := fieldsByName[lang.FieldName(i)]; f != nil {
			*f = field(i)
		}
	}
	return table
}
